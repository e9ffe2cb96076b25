import CZlib

/// Compresses chunks of bytes to a gzip file (RFC 1952).
///
/// The header has no time, file name or operating system, so equal bytes give equal files with the
/// same zlib. Memory is about 320 KiB, whatever the length.
public final class GzipCompressor {
  private static let pieceByteCount = 1 << 16
  private static let partByteCount = 1 << 30

  // zlib keeps the addresses of both, so they may not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private let header: UnsafeMutablePointer<gz_header>
  private let piece: UnsafeMutableBufferPointer<UInt8>
  private var isFinished = false

  public init() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    header = .allocate(capacity: 1)
    header.initialize(to: gz_header())
    header.pointee.os = 255  // unknown
    piece = .allocate(capacity: Self.pieceByteCount)
    // A window of 15 bits, plus 16 for a gzip header; 8 is zlib's default memory level.
    let status = deflateInit2_(
      stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    precondition(status == Z_OK, "zlib does not start: \(status)")
    deflateSetHeader(stream, header)
  }

  deinit {
    deflateEnd(stream)
    piece.deallocate()
    header.deallocate()
    stream.deallocate()
  }

  /// Compresses the next bytes.
  ///
  /// - Returns: the next bytes of the file; often none.
  ///
  /// - Precondition: ``finish()`` has not been called.
  public func compress(_ chunk: [UInt8]) -> [UInt8] {
    precondition(!isFinished, "the file is finished")
    var output: [UInt8] = []
    // zlib's lengths have 32 bits.
    for start in stride(from: 0, to: chunk.count, by: Self.partByteCount) {
      let part = chunk[start...].prefix(Self.partByteCount)
      deflate(part, Z_NO_FLUSH, into: &output)
    }
    return output
  }

  /// Ends the file, and returns its last bytes.
  ///
  /// - Precondition: It has not been called before.
  public func finish() -> [UInt8] {
    precondition(!isFinished, "the file is finished")
    isFinished = true
    var output: [UInt8] = []
    deflate([], Z_FINISH, into: &output)
    return output
  }

  private func deflate(_ part: ArraySlice<UInt8>, _ flush: Int32, into output: inout [UInt8]) {
    part.withUnsafeBufferPointer { source in
      stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
      stream.pointee.avail_in = UInt32(source.count)
      repeat {
        stream.pointee.next_out = piece.baseAddress
        stream.pointee.avail_out = UInt32(piece.count)
        let status = CZlib.deflate(stream, flush)
        precondition(status != Z_STREAM_ERROR, "zlib's state was overwritten")
        output += piece.prefix(piece.count - Int(stream.pointee.avail_out))
      } while stream.pointee.avail_out == 0
      // The bytes belong to the caller, so zlib must not keep their address.
      stream.pointee.next_in = nil
    }
  }
}
