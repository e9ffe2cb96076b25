import Foundation
import ListStore

/// A file that is there whole or not at all, written piece by piece.
struct OutputFile {
  private let replacement: FileReplacement
  private let file: FileHandle

  /// - Throws: `StoreError.alreadyThere` where there is a file and it is not to be replaced,
  ///   `.cannotOpen`, `UnwritableFile`.
  init(_ path: String, replaces: Bool) throws {
    replacement = try FileReplacement(path: path, replaces: replaces)
    let descriptor = open(replacement.temporaryPath, O_WRONLY | O_CREAT | O_EXCL, 0o666)
    guard descriptor >= 0 else {
      throw UnwritableFile(path: path, reason: String(cString: strerror(errno)))
    }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// - Throws: `UnwritableFile`.
  func write(_ bytes: [UInt8]) throws {
    do {
      try file.write(contentsOf: Data(bytes))
    } catch {
      throw UnwritableFile(path: replacement.path, reason: Failure.reason(error))
    }
  }

  /// Gives the file its name, on the disk when this returns.
  func finish() throws { try replacement.finish() }

  /// Removes what was written.
  func abandon() { replacement.discard() }
}

/// A file that the system would not write.
struct UnwritableFile: Error {
  let path: String
  let reason: String
}
