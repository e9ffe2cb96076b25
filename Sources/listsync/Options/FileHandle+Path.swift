import Foundation

extension FileHandle {
  /// Opens a file for reading, or standard input for `-`.
  ///
  /// The system resolves the path. A `URL` would drop `..` by its text, and name another file where
  /// a folder before it is a symbolic link.
  ///
  /// - Throws: `POSIXError`.
  static func reading(_ path: String) throws -> FileHandle {
    if path == "-" { return .standardInput }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Whether a path names a regular file: only such a file can be read twice.
  static func isRegular(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
  }
}
