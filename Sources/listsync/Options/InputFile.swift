import Foundation
import ListModel

extension FileHandle {
  /// Opens a file for reading, or standard input for `-`.
  ///
  /// The system resolves the path. A `URL` would remove `..` from the text, and name another file
  /// when the folder before it is a symbolic link.
  ///
  /// - Throws: `POSIXError`.
  static func reading(_ path: String) throws -> FileHandle {
    if path == "-" { return .standardInput }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }
}

/// Reads whole files.
enum InputFile {
  private static let pieceByteCount = 1 << 20

  /// Reads a file, or standard input for `-`.
  ///
  /// - Throws: `VerbError.refused` when the input exceeds the byte limit of a commit, without
  ///   reading the rest; `.unreadable`.
  static func bytes(of path: String, limits: Limits) throws -> [UInt8] {
    do {
      // A handle can also read a pipe, such as the shell's <(command).
      let file = try FileHandle.reading(path)
      var bytes = try regularBytes(of: file, limits)
      // Pipes, and files that have grown, have more.
      while let piece = try file.read(upToCount: pieceByteCount), !piece.isEmpty {
        bytes.append(contentsOf: piece)
        guard bytes.count <= limits[.commitBytes] else {
          throw ExceededLimit(.commitBytes, bound: limits[.commitBytes])
        }
      }
      return bytes
    } catch let error as ExceededLimit {
      throw VerbError.refused(path, error)
    } catch {
      throw VerbError.unreadable(path, error)
    }
  }

  /// Reads a regular file straight into the result; returns nothing for other files.
  private static func regularBytes(of file: FileHandle, _ limits: Limits) throws -> [UInt8] {
    var status = stat()
    guard fstat(file.fileDescriptor, &status) == 0, status.st_size > 0 else { return [] }
    let byteCount = Int(status.st_size)
    try limits.check(byteCount, .commitBytes)
    return try [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      while count < byteCount {
        let free = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
        let readCount = read(file.fileDescriptor, free.baseAddress, free.count)
        if readCount == 0 { return }
        if readCount > 0 { count += readCount }
        if readCount < 0, errno != EINTR {
          throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
      }
    }
  }
}
