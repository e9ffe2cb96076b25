import Foundation

/// A file that is written piece by piece, and appears only when it is complete. If ``finish()`` is
/// not called, nothing remains. A device, a FIFO or an open file of a process is written directly.
package final class OutputFile: Sendable {
  private let path: String
  /// Nil if the file is written directly.
  private let replacement: FileReplacement?
  private let descriptor: Int32

  /// - Parameter replaces: whether a regular file that is no database may be replaced.
  /// - Throws: `FileError.alreadyThere`, `.logIsThere`, `.isDatabase` and `.cannotOpen`.
  package init(_ path: String, replaces: Bool) throws(FileError) {
    self.path = path
    let status = try FilePlace(writing: path).status
    guard let status, status.kind != .regular else {
      let replacement = try FileReplacement(path: path, replacing: replaces ? .documents : .nothing)
      (self.replacement, descriptor) = (replacement, replacement.descriptor)
      return
    }
    replacement = nil
    // A reader that closes the pipe must be an error, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    // If the shell appends standard output to a file, opening it again would overwrite its start.
    var output = stat()
    let isOwnOutput = fstat(STDOUT_FILENO, &output) == 0 && status.identity == FileIdentity(output)
    descriptor = isOwnOutput ? dup(STDOUT_FILENO) : open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .cannotOpen(path: path, reason: String(cString: strerror(errno)))
    }
  }

  deinit { if replacement == nil, descriptor >= 0 { close(descriptor) } }

  /// - Throws: `FileError.inputOutput`.
  package func write(_ bytes: [UInt8]) throws(FileError) {
    if let reason = failureOfWriting(bytes, to: descriptor) {
      throw .inputOutput(path: path, reason: reason)
    }
  }

  /// Gives the file its name; all is on the disk when this returns.
  ///
  /// - Throws: `FileError`.
  package func finish() throws(FileError) { try replacement?.finish() }
}

/// Writes all bytes to an open file.
///
/// - Returns: the reason why the system did not take all of them; nil if it did.
package func failureOfWriting(_ bytes: [UInt8], to descriptor: Int32) -> String? {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    if count <= 0 { return String(cString: strerror(errno)) }
    rest = rest.dropFirst(count)
  }
  return nil
}
