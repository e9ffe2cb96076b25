import Gzip
import Hummingbird

/// Sends the body of a stream as a route makes it.
///
/// A write returns when the connection has accepted the bytes. So a slow reader slows the route
/// down and costs no memory.
struct BodyWriter {
  private var writer: any ResponseBodyWriter
  /// Nil for a plain body.
  private let compressor: GzipCompressor?
  private let admission: Answer.Admission?

  init(_ writer: any ResponseBodyWriter, isCompressed: Bool, _ admission: Answer.Admission?) {
    self.writer = writer
    self.admission = admission
    compressor = isCompressed ? GzipCompressor() : nil
  }

  /// - Throws: as ``send(_:)``.
  mutating func write(_ bytes: [UInt8]) async throws { try await send(compressed(bytes)) }

  /// The next bytes as they are sent.
  ///
  /// - Throws: `CancellationError` if the task is cancelled meanwhile.
  func compressed(_ bytes: [UInt8]) throws -> [UInt8] {
    guard let compressor else { return bytes }
    var (compressed, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes[...])
    while !rest.isEmpty {
      try Task.checkCancellation()
      compressed += compressor.compress(Array(rest.prefix(Self.pieceByteCount)))
      rest = rest.dropFirst(Self.pieceByteCount)
    }
    return compressed
  }

  /// Sends the next bytes, as ``compressed(_:)`` returned them.
  ///
  /// - Throws: `Problem` if the caller may not have the rest; the connection's errors.
  mutating func send(_ bytes: [UInt8]) async throws {
    try admission?()
    var rest = bytes[...]
    // In pieces, so that the connection can see whether the reader still reads.
    while !rest.isEmpty {
      try await writer.write(ByteBuffer(bytes: rest.prefix(Self.pieceByteCount)))
      rest = rest.dropFirst(Self.pieceByteCount)
      try admission?()
    }
  }

  mutating func finish() async throws {
    if let compressor { try await writer.write(ByteBuffer(bytes: compressor.finish())) }
    try await writer.finish(nil)
  }

  private static let pieceByteCount = 1 << 17
}
