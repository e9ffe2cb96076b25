import Gzip
import Hummingbird

/// Sends the body of a stream as a route makes it.
///
/// A write returns when the connection has accepted the bytes. So a slow reader slows the route
/// down and costs no memory.
struct BodyWriter {
  private var writer: any ResponseBodyWriter
  /// Nil if the body is not coded.
  private let compressor: GzipCompressor?
  private let admission: Answer.Admission?

  init(_ writer: any ResponseBodyWriter, isCoded: Bool, _ admission: Answer.Admission?) {
    self.writer = writer
    self.admission = admission
    compressor = isCoded ? GzipCompressor() : nil
  }

  /// - Throws: `Problem` if the caller may not have the rest; the connection's errors.
  mutating func write(_ bytes: [UInt8]) async throws {
    try admission?()
    let bytes = compressor?.compress(bytes) ?? bytes
    if !bytes.isEmpty { try await writer.write(ByteBuffer(bytes: bytes)) }
  }

  mutating func finish() async throws {
    if let compressor { try await writer.write(ByteBuffer(bytes: compressor.finish())) }
    try await writer.finish(nil)
  }
}
