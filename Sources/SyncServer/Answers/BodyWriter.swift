import Gzip
import Hummingbird
import NIOCore

/// Where a route writes a body as it makes it.
///
/// A write returns when the connection has taken the bytes: a slow reader slows the route down and
/// costs no memory.
struct BodyWriter {
  private var writer: any ResponseBodyWriter
  /// Nil where nothing is packed.
  private let compressor: GzipCompressor?
  private let admission: Answer.Admission?

  init(_ writer: any ResponseBodyWriter, isCoded: Bool, _ admission: Answer.Admission? = nil) {
    self.writer = writer
    self.admission = admission
    compressor = isCoded ? GzipCompressor() : nil
  }

  /// - Throws: `Problem` when the caller may not have the rest; what the connection throws.
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
