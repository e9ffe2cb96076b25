import Gzip
import NIOCore
import Synchronization

/// The bytes of a body, and what gzip makes of them once somebody wants it.
final class HeldBody: Sendable {
  /// Shorter bodies gain nothing.
  static let leastCodedByteCount = 1024

  let bytes: ByteBuffer
  /// What is coded already; nil where nobody asked yet.
  private let coded = Mutex<ByteBuffer?>(nil)

  init(_ bytes: [UInt8]) { self.bytes = ByteBuffer(bytes: bytes) }

  var byteCount: Int { bytes.readableBytes }

  var isWorthCoding: Bool { byteCount >= Self.leastCodedByteCount }

  func gzip() -> ByteBuffer {
    if let held = coded.withLock({ $0 }) { return held }
    let compressor = GzipCompressor()
    let result = ByteBuffer(
      bytes: compressor.compress(Array(bytes.readableBytesView)) + compressor.finish())
    coded.withLock { $0 = result }
    return result
  }
}
