import Foundation

/// The files of a folder at one moment, and the possible states after a power cut at that moment.
public struct DiskState: Sendable {
  private var files: [String: FileRecord] = [:]
  /// Files that were deleted since the folder's last sync, and may come back.
  private var deleted: [String: FileRecord] = [:]

  init() {}

  /// The result of a power cut for unsynced writes.
  public enum Outcome: Sendable {
    case allDropped, allKept
  }

  /// Whether a power cut cannot undo any write, creation or deletion.
  public var isSynced: Bool {
    deleted.isEmpty
      && files.values.allSatisfy {
        $0.isNameDurable && $0.unsynced.isEmpty && $0.durable == $0.current
      }
  }

  /// Writes a possible state after a power cut into a folder. Each sector written since its file's
  /// last sync is kept, dropped or torn.
  public func writeImage(
    to folder: URL, using random: inout some RandomNumberGenerator
  ) throws {
    for name in names {
      let isNew = Bool.random(using: &random)
      guard let file = isNew ? newest(name) : oldest(name) else { continue }
      try Self.write(file.image(using: &random), to: folder, name)
    }
  }

  /// Writes one of the two extreme states into a folder.
  public func writeImage(to folder: URL, _ outcome: Outcome) throws {
    for name in names {
      let bytes =
        switch outcome {
        case .allKept: files[name]?.current
        case .allDropped: oldest(name)?.durable
        }
      if let bytes { try Self.write(bytes, to: folder, name) }
    }
  }

  private var names: [String] { Set(files.keys).union(deleted.keys).sorted() }

  /// The file with this name, if all changes of names are on the disk.
  private func newest(_ name: String) -> FileRecord? { files[name] }

  /// The file with this name, if only the required changes of names are on the disk.
  private func oldest(_ name: String) -> FileRecord? {
    if let file = files[name], file.isNameDurable { return file }
    return deleted[name]
  }

  private static func write(_ bytes: [UInt8], to folder: URL, _ name: String) throws {
    try Data(bytes).write(to: folder.appendingPathComponent(name))
  }
}

extension DiskState {
  /// Adds a file that existed before the recording.
  mutating func add(_ name: String, _ bytes: [UInt8]) {
    files[name] = FileRecord(durable: bytes)
  }

  mutating func create(_ name: String) {
    guard files[name] == nil else { return }
    files[name] = FileRecord(durable: [], isNameDurable: false)
  }

  mutating func write(_ name: String, _ bytes: UnsafeRawBufferPointer, at offset: Int) {
    files[name]?.write(bytes, at: offset)
  }

  mutating func truncate(_ name: String, to byteCount: Int) {
    files[name]?.truncate(to: byteCount)
  }

  /// - Parameter syncsFolder: whether the folder is synced too.
  mutating func sync(_ name: String, syncsFolder: Bool) {
    files[name]?.sync()
    deleted[name] = nil
    if syncsFolder { syncFolder() }
  }

  mutating func delete(_ name: String, syncsFolder: Bool) {
    if let file = files.removeValue(forKey: name), file.isNameDurable { deleted[name] = file }
    if syncsFolder { syncFolder() }
  }

  private mutating func syncFolder() {
    deleted = [:]
    for name in files.keys { files[name]?.isNameDurable = true }
  }
}
