import Foundation

/// Test material that the project does not ship: real lists, oracle, suites. It lies beside the
/// checkout, or at the path in `LISTSYNC_SHARED`.
public enum Shared {
  public static let root: URL = {
    if let given = ProcessInfo.processInfo.environment["LISTSYNC_SHARED"] {
      return URL(fileURLWithPath: given)
    }
    return Project.root.deletingLastPathComponent().appendingPathComponent("shared")
  }()

  public static func has(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
  }

  /// The bytes of a file beside the checkout.
  public static func data(_ path: String) throws -> Data {
    try Data(contentsOf: root.appendingPathComponent(path))
  }

  /// Unpacks a tar.xz file beside the checkout into a new folder, which the caller removes.
  public static func unpack(_ path: String) throws -> URL {
    let folder = try TemporaryFolder.make()
    let file = root.appendingPathComponent(path).path
    guard Command.succeeds(["tar", "-xJf", file, "-C", folder.path]) else {
      throw CocoaError(
        .fileReadCorruptFile,
        userInfo: [NSLocalizedDescriptionKey: "tar could not unpack \(path); is xz installed?"])
    }
    return folder
  }
}

public enum Project {
  /// The top folder of the checkout.
  public static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}

public enum TemporaryFolder {
  /// Makes a new, empty folder.
  public static func make() throws -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("listsync-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}
