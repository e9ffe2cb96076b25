import Foundation

/// Takes lines and runs of bytes from a pipe.
struct PipeReader {
  private static let chunkByteCount = 65_536

  private let descriptor: Int32
  private var buffer: ArraySlice<UInt8> = []

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The next line without its end; nil at the end of the input, or where it ends within a line.
  mutating func line() throws(GitError) -> String? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer = buffer[(end + 1)...] }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      let chunk = try chunk()
      if chunk.isEmpty { return nil }
      buffer = buffer + chunk
    }
  }

  /// The next bytes: fewer only at the end of the input.
  ///
  /// Long runs are read where they will stay, past the buffer.
  mutating func bytes(_ count: Int) throws(GitError) -> [UInt8] {
    let front = buffer.prefix(count)
    buffer = buffer.dropFirst(front.count)
    guard front.count < count else { return Array(front) }
    var result = Result<Int, GitError>.success(0)
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { target, filled in
      let target = UnsafeMutableRawBufferPointer(target)
      target.copyBytes(from: front)
      filled = front.count
      while filled < count {
        result = transfer(into: .init(rebasing: target[filled...]))
        guard let more = try? result.get(), more > 0 else { return }
        filled += more
      }
    }
    _ = try result.get()
    return bytes
  }

  /// Passes over bytes, as many as there are of them.
  mutating func skip(_ count: Int) throws(GitError) {
    var left = count
    while left > 0 {
      let passed = try bytes(min(left, Self.chunkByteCount)).count
      if passed == 0 { return }
      left -= passed
    }
  }

  /// What is there, at most a chunk; nothing at the end of the input.
  private func chunk() throws(GitError) -> [UInt8] {
    var result = Result<Int, GitError>.success(0)
    let bytes = [UInt8](unsafeUninitializedCapacity: Self.chunkByteCount) { target, filled in
      result = transfer(into: .init(target))
      filled = (try? result.get()) ?? 0
    }
    _ = try result.get()
    return bytes
  }

  /// Reads once; 0 at the end of the input.
  private func transfer(into target: UnsafeMutableRawBufferPointer) -> Result<Int, GitError> {
    while true {
      let count = read(descriptor, target.baseAddress, target.count)
      if count >= 0 { return .success(count) }
      guard errno == EINTR else {
        return .failure(.cannotRun(reason: String(cString: strerror(errno))))
      }
    }
  }
}
