import ArgumentParser
import LocalFiles

/// The output of a pull for the whole list.
///
/// A regular file is replaced atomically and keeps its permissions. Links are followed. Pipes and
/// devices are written to.
struct ListOutput {
  /// Nil for standard output.
  private let path: String?

  /// The name endings of a SQLite file and its companions.
  private static let endings = ["", "-journal", "-wal", "-shm"]

  /// - Throws: `ValidationError` when the output is the copy; `FileError.cannotOpen` when it is not
  ///   writable.
  init(_ path: String, besideCopyAt copyPath: String) throws {
    self.path = path == "-" ? nil : path
    guard path != "-" else { return }
    let place = try FilePlace(writing: path)
    for ending in Self.endings {
      // An invalid path of the copy is reported when the copy is opened.
      guard let copy = try? FilePlace(copyPath + ending), copy.isSame(as: place) else { continue }
      throw ValidationError("-o '\(path)' is the file of the copy: name another one.")
    }
  }

  /// Whether the list is printed instead of the changes.
  var isStandardOutput: Bool { path == nil }

  /// - Throws: `FileError`, `OutputError`.
  func write(_ bytes: [UInt8]) throws {
    guard let path else { return try Output.write(bytes) }
    let file = try OutputFile(path, replaces: true)
    try file.write(bytes)
    try file.finish()
  }
}
