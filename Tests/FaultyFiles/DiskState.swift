import Foundation

/// The files of a folder at one moment, and what a power cut at that moment may make of them.
public struct DiskState: Sendable {
  private var files: [String: FileRecord] = [:]
  /// Files that were deleted, and may come back: the folder was not synced since.
  private var deleted: [String: FileRecord] = [:]

  init() {}

  /// What a power cut leaves of writes that were not synced.
  public enum Outcome: Sendable {
    case allDropped, allKept
  }

  /// Whether something was written, made or deleted that a power cut may undo.
  public var isSynced: Bool {
    deleted.isEmpty
      && files.values.allSatisfy {
        $0.isNameDurable && $0.unsynced.isEmpty && $0.durable == $0.current
      }
  }

  /// Writes a possible state after a power cut into a folder: each sector that was written since
  /// its file was synced is kept, dropped or torn.
  public func writeImage(
    to folder: URL, using random: inout some RandomNumberGenerator
  ) throws {
    for name in names {
      let isNew = Bool.random(using: &random)
      guard let file = isNew ? newest(name) : oldest(name) else { continue }
      try Self.write(file.image(using: &random), to: folder, name)
    }
  }

  /// Writes one of the two states at the ends into a folder.
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

  /// What bears a name, when all that was done to names is on the disk.
  private func newest(_ name: String) -> FileRecord? { files[name] }

  /// What bears a name, when nothing of what need not be on the disk is.
  private func oldest(_ name: String) -> FileRecord? {
    if let file = files[name], file.isNameDurable { return file }
    return deleted[name]
  }

  private static func write(_ bytes: [UInt8], to folder: URL, _ name: String) throws {
    try Data(bytes).write(to: folder.appendingPathComponent(name))
  }
}

extension DiskState {
  /// Takes in a file that was there before anything was recorded.
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

  /// - Parameter syncsFolder: whether the folder was synced as well.
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
