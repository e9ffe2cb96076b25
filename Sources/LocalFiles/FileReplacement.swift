import Foundation

/// A file that is written under a temporary name, and takes its place when it is complete: other
/// programs see the whole new file, or the old one.
///
/// Replaces only regular files, and refuses files of other users that this user may not write. A
/// symbolic link stays, and its target is replaced. The new file gets the permissions of the old
/// file, and its owner if this process may set it.
///
/// The temporary name is beside the final one: `NAME.1b2c3d4e.partial`. Its writer holds a lock on
/// it. A killed process loses the lock and leaves the file. So a partial file that can be locked is
/// abandoned: the next replacement of the file removes it, and SQLite's files beside it.
package final class FileReplacement: Sendable {
  /// The existing files that a new file may replace.
  package enum Replaceable: Sendable {
    case nothing
    /// All files except databases, since a document in place of a store would delete all versions.
    case documents
    case everything
  }

  /// The path of the empty file to write.
  package let temporaryPath: String
  /// The file, open for reading and writing, and locked.
  package let descriptor: Int32
  private let path: String
  private let replaceable: Replaceable

  /// Removes abandoned files, and creates a new one.
  ///
  /// - Throws: `FileError.alreadyThere`, `.logIsThere`, `.isDatabase` and `.cannotOpen`.
  package init(path: String, replacing replaceable: Replaceable) throws(FileError) {
    self.path = path
    self.replaceable = replaceable
    let place = try Self.place(path, replaceable)
    if place.status != nil, replaceable == .nothing { throw .alreadyThere(path: path) }
    // The folder's permission would be enough to replace it, so require the file's as well.
    if let old = place.status, old.user != geteuid(),
      faccessat(AT_FDCWD, place.path, W_OK, AT_EACCESS) != 0
    {
      throw .cannotOpen(path: path, reason: Self.systemReason)
    }
    let stem = Self.stem(of: place.name)
    Self.removeAbandoned(stem, in: place.folder)
    while true {
      // Eight random hex digits.
      let mark = UUID().uuidString.prefix(8).lowercased()
      let temporaryPath = "\(place.folder)/\(stem).\(mark).\(Self.ending)"
      let descriptor = open(temporaryPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else { throw .cannotOpen(path: place.path, reason: Self.systemReason) }
      _ = flock(descriptor, LOCK_EX)
      // Another process may have removed it as abandoned before it was locked.
      var status = stat()
      if fstat(descriptor, &status) == 0, status.st_nlink > 0 {
        (self.temporaryPath, self.descriptor) = (temporaryPath, descriptor)
        return
      }
      close(descriptor)
    }
  }

  deinit {
    discard()
    close(descriptor)
  }

  private static func place(
    _ path: String, _ replaceable: Replaceable
  ) throws(FileError) -> FilePlace {
    let place = try FilePlace(writing: path)
    if let kind = place.status?.kind, kind != .regular {
      throw .cannotOpen(path: path, reason: "it is not a regular file")
    }
    for ending in ["-wal", "-journal"] where access(place.path + ending, F_OK) == 0 {
      throw .logIsThere(path: path, log: path + ending)
    }
    if replaceable == .documents, place.status != nil, isOfDatabase(place.path) {
      throw .isDatabase(path: path)
    }
    return place
  }

  /// Whether a file is a database of SQLite, or one of the files beside it, which may have its
  /// newest commits.
  private static func isOfDatabase(_ path: String) -> Bool {
    isDatabase(path)
      || ["-wal", "-shm", "-journal"].contains {
        path.hasSuffix($0) && isDatabase(String(path.dropLast($0.count)))
      }
  }

  /// Whether a file begins like a database of SQLite.
  private static func isDatabase(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let start = Array("SQLite format 3\0".utf8)
    var bytes = [UInt8](repeating: 0, count: start.count)
    return read(descriptor, &bytes, bytes.count) == start.count && bytes == start
  }

  /// Moves the file to its place; all is on the disk when this returns.
  ///
  /// - Precondition: The file contains everything that its logs held.
  /// - Throws: `FileError`; the file then keeps its temporary name.
  package func finish() throws(FileError) {
    let place = try Self.place(path, replaceable)
    if let old = place.status {
      // Only root may change the owner, which also removes permissions.
      _ = fchown(descriptor, old.user, old.group)
      fchmod(descriptor, old.permissions)
    }
    guard fsync(descriptor) == 0 else { throw inputOutput() }
    let isInPlace = if replaceable == .nothing { try link(to: place.path) } else { false }
    guard isInPlace || rename(temporaryPath, place.path) == 0 else { throw cannotOpen() }
    discard()
    try syncFolder(place.folder)
  }

  /// Gives the file its name, unless another file has it.
  ///
  /// - Returns: false where the file system has no links. An empty file then has the name, so
  ///   nobody else can take it before this file does.
  private func link(to place: String) throws(FileError) -> Bool {
    if Foundation.link(temporaryPath, place) == 0 { return true }
    let reservation = errno == EEXIST ? -1 : open(place, O_WRONLY | O_CREAT | O_EXCL, 0o666)
    guard reservation >= 0 else {
      throw errno == EEXIST ? .alreadyThere(path: path) : cannotOpen()
    }
    close(reservation)
    return false
  }

  /// Deletes the temporary name, and SQLite's files beside it.
  package func discard() {
    unlink(temporaryPath)
    Self.removeLogs(of: temporaryPath)
  }

  private func syncFolder(_ folder: String) throws(FileError) {
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      // A folder without read permission cannot be synced alone.
      if errno == EACCES { return sync() }
      throw inputOutput()
    }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw inputOutput() }
  }

  private static var systemReason: String { String(cString: strerror(errno)) }

  private func cannotOpen() -> FileError { .cannotOpen(path: path, reason: Self.systemReason) }

  private func inputOutput() -> FileError { .inputOutput(path: path, reason: Self.systemReason) }
}

/// Temporary names, and the files that killed processes left under them.
extension FileReplacement {
  private static let ending = "partial"
  private static let logs = ["-journal", "-wal", "-shm"]

  /// SQLite does not report it if it could not delete a log.
  private static func removeLogs(of path: String) { for log in logs { unlink(path + log) } }

  /// Leaves room for the mark and the endings, since a name has at most 255 bytes.
  private static func stem(of name: String) -> String {
    var stem = ""
    for scalar in name.unicodeScalars where stem.utf8.count + UTF8.width(scalar) <= 220 {
      stem.unicodeScalars.append(scalar)
    }
    return stem
  }

  private static func removeAbandoned(_ stem: String, in folder: String) {
    let start = Array((stem + ".").utf8)
    // A folder that cannot be listed may still be writable.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    // Compares bytes: to Swift, a composed and a decomposed "é" are equal.
    for name in names where name.utf8.starts(with: start) {
      let parts = Substring(name.utf8.dropFirst(start.count)).split(separator: ".", maxSplits: 1)
      guard parts.count == 2, parts[0].count == 8, parts[0].allSatisfy(\.isHexDigit) else {
        continue
      }
      if parts[1] == ending {
        removeIfAbandoned(folder + "/" + name)
      } else if let log = logs.first(where: { parts[1] == ending + $0 }) {
        let file = folder + "/" + name.dropLast(log.count)
        if access(file, F_OK) != 0 { unlink(folder + "/" + name) }
      }
    }
  }

  private static func removeIfAbandoned(_ path: String) {
    let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
    // The logs first: without the file, no program could tell to which file they belong.
    removeLogs(of: path)
    unlink(path)
  }
}
