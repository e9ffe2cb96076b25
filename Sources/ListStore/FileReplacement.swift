import Foundation

/// A file that is written beside its place under a name of its own, and takes its place when it is
/// whole: whoever looks there finds all of it, or what was there before.
public struct FileReplacement: Sendable {
  public let path: String
  /// Where it is written.
  public let temporaryPath: String
  private let replaces: Bool

  /// - Parameter replaces: whether a file that is there is replaced.
  /// - Throws: `StoreError.alreadyThere` and `.inUse`.
  public init(path: String, replaces: Bool) throws {
    self.path = path
    self.replaces = replaces
    temporaryPath = "\(path).\(UUID().uuidString.prefix(8).lowercased()).partial"
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      if isFolder.boolValue { throw StoreError.cannotOpen(path: path, reason: "it is a folder") }
      guard replaces else { throw StoreError.alreadyThere(path: path) }
    }
    try Self.checkForLogs(of: path)
  }

  /// SQLite would play a log that lies beside a database back into it, whatever the log is from.
  private static func checkForLogs(of path: String) throws {
    for log in ["-wal", "-journal"].map({ path + $0 })
    where FileManager.default.fileExists(atPath: log) {
      throw StoreError.inUse(path: path, reason: "its log \(log) is there")
    }
  }

  /// Gives the file its place, on the disk when this returns.
  ///
  /// - Precondition: Whatever the logs beside the file held is in the file.
  public func finish() throws {
    try Self.checkForLogs(of: path)
    try Self.sync(temporaryPath)
    if replaces {
      guard rename(temporaryPath, path) == 0 else { throw failure() }
    } else {
      try placeWhereNothingIs()
    }
    // SQLite does not tell when it could not delete a log.
    discardLogs()
    // NSString's deletingLastPathComponent ends the process where the path is one letter.
    try Self.sync(URL(fileURLWithPath: path).deletingLastPathComponent().path)
  }

  private func placeWhereNothingIs() throws {
    if link(temporaryPath, path) == 0 {
      unlink(temporaryPath)
    } else if errno == EEXIST || FileManager.default.fileExists(atPath: path) {
      throw StoreError.alreadyThere(path: path)
    } else if rename(temporaryPath, path) != 0 {
      // Not every file system has links.
      throw failure()
    }
  }

  /// Removes what was written.
  public func discard() {
    unlink(temporaryPath)
    discardLogs()
  }

  private func discardLogs() {
    for ending in ["-journal", "-wal", "-shm"] { unlink(temporaryPath + ending) }
  }

  private static func sync(_ path: String) throws {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else {
      throw StoreError.inputOutput(reason: "\(path): \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else {
      throw StoreError.inputOutput(reason: "\(path): \(String(cString: strerror(errno)))")
    }
  }

  private func failure() -> StoreError {
    .cannotOpen(path: path, reason: String(cString: strerror(errno)))
  }
}
