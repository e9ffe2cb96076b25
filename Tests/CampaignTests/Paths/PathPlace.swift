import Foundation

/// The place of the file, and the user that runs the verb.
enum PathPlace: String, CaseIterable, Sendable {
  case ordinary
  /// Another process has the store open; only the write-ahead log has its newest version.
  case held
  case full
  case readOnlyMount = "read-only file system"
  case heldReadOnlyMount = "read-only file system, held"
  /// The owner may write neither the file nor its folder.
  case closedFolder = "folder that its owner closed"
  /// A stranger may read the file, but write neither it nor its folder.
  case othersFolder = "another user's folder"
  case heldOthersFolder = "another user's folder, held"
  /// A stranger may write the folder, and read the file.
  case sharedFolder = "shared folder"
  /// A stranger may write the file, but not its folder.
  case sharedFile = "shared file"
  /// A stranger may write the folder, but not list it.
  case dropFolder = "drop folder"
  /// A stranger may not even read the file.
  case secretFile = "secret file"

  static let owner = SpawnedProgram.User(number: 65533)
  static let stranger = SpawnedProgram.User(number: 65534)

  /// The user that runs the verb; nil for the user of the tests.
  var user: SpawnedProgram.User? {
    switch self {
    case .ordinary, .held, .full, .readOnlyMount, .heldReadOnlyMount: nil
    case .closedFolder: Self.owner
    case .othersFolder, .heldOthersFolder, .sharedFolder, .sharedFile, .dropFolder, .secretFile:
      Self.stranger
    }
  }

  /// Whether the owner may write the store.
  var isOwnersOwn: Bool { user == Self.stranger }
  var isHeld: Bool { [.held, .heldReadOnlyMount, .heldOthersFolder].contains(self) }
  var isReadOnlyMount: Bool { [.readOnlyMount, .heldReadOnlyMount].contains(self) }

  /// The modes of the folder and of the file in it.
  var permissions: (folder: mode_t, file: mode_t) {
    switch self {
    case .ordinary, .held, .full, .readOnlyMount, .heldReadOnlyMount, .othersFolder,
      .heldOthersFolder:
      (0o755, 0o644)
    case .closedFolder: (0o555, 0o444)
    case .sharedFolder: (0o777, 0o644)
    case .sharedFile: (0o755, 0o666)
    case .dropFolder: (0o733, 0o644)
    case .secretFile: (0o755, 0o600)
    }
  }

  /// Whether this process may make the place: most need an administrator on Linux.
  var isPossible: Bool {
    switch self {
    case .ordinary, .held: true
    case .full, .readOnlyMount, .heldReadOnlyMount: Self.isAdministrator && PathMount.isAllowed
    default: Self.isAdministrator
    }
  }

  static let isAdministrator: Bool = {
    #if os(Linux)
      geteuid() == 0 && access(SpawnedProgram.setpriv, X_OK) == 0
    #else
      false
    #endif
  }()
}
