import Foundation

/// A file that is there whole or not at all, written piece by piece; a device, a FIFO or an open
/// file of a process is written into as it is.
package final class OutputFile: Sendable {
  private let path: String
  /// Nil where the file is written into.
  private let replacement: FileReplacement?
  private let descriptor: Int32

  /// - Parameter replaces: whether a regular file that is there is replaced.
  /// - Throws: `FileError.alreadyThere`, `.logIsThere` and `.cannotOpen`.
  package init(_ path: String, replaces: Bool) throws(FileError) {
    self.path = path
    let status = try FilePlace(writing: path).status
    guard let status, status.kind != .regular else {
      let replacement = try FileReplacement(path: path, replaces: replaces)
      (self.replacement, descriptor) = (replacement, replacement.descriptor)
      return
    }
    replacement = nil
    // A reader that goes away is an error, and not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    // Where the shell appends to standard output, opening it again would write over its start.
    let isOwnOutput = status.identity == FileIdentity(descriptor: STDOUT_FILENO)
    descriptor = isOwnOutput ? dup(STDOUT_FILENO) : open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .cannotOpen(path: path, reason: String(cString: strerror(errno)))
    }
  }

  deinit { if replacement == nil, descriptor >= 0 { close(descriptor) } }

  /// - Throws: `FileError.inputOutput`.
  package func write(_ bytes: [UInt8]) throws(FileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw .inputOutput(path: path, reason: String(cString: strerror(errno)))
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Gives the file its name, on the disk when this returns.
  ///
  /// - Throws: `FileError`.
  package func finish() throws(FileError) { try replacement?.finish() }

  /// Removes what was written.
  package func abandon() { replacement?.discard() }
}
