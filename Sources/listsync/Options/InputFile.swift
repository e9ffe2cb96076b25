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

/// A whole file that was read, or standard input.
struct InputFile: Sendable {
  /// Its path; `-` for standard input.
  let name: String
  let bytes: [UInt8]

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
    var (status, count) = (stat(), 0)
    let descriptor = file.fileDescriptor
    // Standard input may be a file of which another program has read the start.
    let start = Int(lseek(descriptor, 0, SEEK_CUR))
    guard fstat(descriptor, &status) == 0, start >= 0, status.st_size > start else { return [] }
    let byteCount = Int(status.st_size) - start
    try limits.check(byteCount, .commitBytes)
    defer { lseek(descriptor, off_t(start + count), SEEK_SET) }
    return try [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initializedCount in
      let target = UnsafeMutableRawBufferPointer(buffer)
      // Safe: each piece fills its own bytes, and all have ended before the buffer is used.
      nonisolated(unsafe) let bytes = target
      let pieceCount = (byteCount + parallelByteCount - 1) / parallelByteCount
      let ends = concurrentMap(count: pieceCount) { number in
        Result {
          let end = min((number + 1) * parallelByteCount, byteCount)
          return try read(descriptor, number * parallelByteCount..<end, from: start, into: bytes)
        }
      }
      // A file that became shorter ends in the first piece that is not full.
      for (number, end) in ends.enumerated() where count == number * parallelByteCount {
        count = try end.get()
      }
      initializedCount = count
    }
  }

  /// The bytes of a long file that one thread reads at a time.
  private static let parallelByteCount = 8 << 20

  /// Reads a range of the bytes after `start`.
  ///
  /// - Returns: the end of the read bytes, which is lower than that of the range if the file ends.
  private static func read(
    _ descriptor: Int32, _ range: Range<Int>, from start: Int,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws -> Int {
    var index = range.lowerBound
    while index < range.upperBound {
      let free = UnsafeMutableRawBufferPointer(rebasing: buffer[index..<range.upperBound])
      let count = pread(descriptor, free.baseAddress, free.count, off_t(start + index))
      if count == 0 { break }
      if count > 0 { index += count }
      if count < 0, errno != EINTR {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
    }
    return index
  }
}
