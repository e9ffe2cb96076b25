import Gzip
import NIOCore

/// The bytes of a body as they come in, unpacked where they are coded, and never more than allowed.
struct CollectedBody {
  /// Thrown when there are more bytes than allowed.
  struct TooLong: Error {}

  private let byteLimit: Int
  /// Nil where nothing is packed.
  private let decompressor: GzipDecompressor?
  private var bytes: [UInt8] = []

  init(byteLimit: Int, isCoded: Bool) {
    self.byteLimit = byteLimit
    decompressor = isCoded ? GzipDecompressor(byteLimit: byteLimit) : nil
  }

  /// - Throws: `TooLong`, `GzipError`.
  mutating func add(_ chunk: ByteBufferView) throws {
    guard let decompressor else {
      guard bytes.count + chunk.count <= byteLimit else { throw TooLong() }
      bytes += chunk
      return
    }
    decompressor.feed(Array(chunk))
    while let piece = try decompressor.next() { bytes += piece }
  }

  /// - Throws: `GzipError` when a coded body ends early.
  consuming func finish() throws -> [UInt8] {
    try decompressor?.finish()
    return bytes
  }
}
