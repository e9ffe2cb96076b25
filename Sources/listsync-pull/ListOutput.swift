import ArgumentParser
import LocalFiles
import Terminal

/// Where a pull writes the list itself.
///
/// A regular file is replaced by a whole one, which keeps its permissions; links are followed, and
/// pipes and devices are written into.
struct ListOutput {
  /// Nil for standard output.
  private let path: String?

  /// What SQLite keeps beside a file while it writes it.
  private static let endings = ["", "-journal", "-wal", "-shm"]

  /// - Throws: `ValidationError` where the output would be the copy; `FileError.cannotOpen` where
  ///   nothing can be written.
  init(_ path: String, besideCopyAt copyPath: String) throws {
    self.path = path == "-" ? nil : path
    guard path != "-" else { return }
    let place = try FilePlace(writing: path)
    for ending in Self.endings {
      // Where the copy cannot be, its own file says so.
      guard let copy = try? FilePlace(copyPath + ending), copy.isSame(as: place) else { continue }
      throw ValidationError("-o '\(path)' is the file of the copy: name another one.")
    }
  }

  /// Whether the list is the answer, in place of the changes.
  var isStandardOutput: Bool { path == nil }

  /// - Throws: `FileError`, `OutputError`.
  func write(_ bytes: [UInt8]) throws {
    guard let path else { return try Output.write(bytes) }
    let file = try OutputFile(path, replaces: true)
    do {
      try file.write(bytes)
      try file.finish()
    } catch {
      file.abandon()
      throw error
    }
  }
}
