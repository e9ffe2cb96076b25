import Foundation

/// A file under a temporary name beside its final place: `NAME.1b2c3d4e.partial`.
///
/// Its writer holds a lock on it. A killed process loses the lock and leaves the file. So a partial
/// file that can be locked is abandoned: the next one for the same place removes it, and SQLite's
/// files beside it.
final class PartialFile: Sendable {
  let path: String
  /// Open for reading and writing, and locked.
  let descriptor: Int32

  /// Removes abandoned files, and creates a new one.
  ///
  /// - Throws: `FileError.cannotOpen`.
  init(for place: FilePlace) throws(FileError) {
    let stem = Self.stem(of: place.name)
    Self.removeAbandoned(stem, in: place.folder)
    while true {
      let path = "\(place.folder)/\(stem).\(Self.mark()).\(Self.ending)"
      let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else {
        throw .cannotOpen(path: place.path, reason: String(cString: strerror(errno)))
      }
      _ = flock(descriptor, LOCK_EX)
      // Another process may have removed it as abandoned before it was locked.
      var status = stat()
      if fstat(descriptor, &status) == 0, status.st_nlink > 0 {
        (self.path, self.descriptor) = (path, descriptor)
        return
      }
      close(descriptor)
    }
  }

  deinit {
    remove()
    close(descriptor)
  }

  /// Removes the file, if it still has this name, and SQLite's files beside it.
  func remove() {
    unlink(path)
    removeLogs()
  }

  /// SQLite does not report it if it could not delete a log.
  func removeLogs() { for log in Self.logs { unlink(path + log) } }

  private static let ending = "partial"
  private static let logs = ["-journal", "-wal", "-shm"]

  /// Eight random hex digits.
  private static func mark() -> String { UUID().uuidString.prefix(8).lowercased() }

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
    // The logs first: without the file, nobody would know whose they are.
    for log in logs { unlink(path + log) }
    unlink(path)
  }
}
