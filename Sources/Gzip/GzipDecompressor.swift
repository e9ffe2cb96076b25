import CZlib

/// Decompresses a gzip file (RFC 1952) chunk by chunk, and joins the contents of its members.
///
///     decompressor.feed(chunk)
///     while let piece = try decompressor.next() { … }    // then the next chunk
///     try decompressor.finish()
///
/// Trust the output only after ``finish()`` has returned: a member's checksum is at its end. Memory
/// is bounded by a chunk and a piece of 64 KiB. After an error, every call throws it again.
public final class GzipDecompressor {
  private static let pieceByteCount = 1 << 16

  // zlib keeps its address, so it may not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private let byteLimit: Int
  private var input: [UInt8] = []
  /// The index in `input` of the next byte to read.
  private var position = 0
  /// The number of bytes read before `input`.
  private var consumedByteCount = 0
  private var producedByteCount = 0
  private var isInsideMember = false
  private var failure: GzipError?

  /// - Parameter byteLimit: the most bytes that all members together may give.
  public init(byteLimit: Int = .max) {
    self.byteLimit = byteLimit
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // A window of 15 bits, plus 16 for a gzip header.
    let status = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(status == Z_OK, "zlib does not start: \(status)")
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Adds the next bytes of the file.
  ///
  /// - Precondition: ``next()`` has answered nil, or thrown, since the last chunk.
  public func feed(_ chunk: [UInt8]) {
    precondition(position == input.count || failure != nil, "bytes are left of the last chunk")
    consumedByteCount += input.count
    input = chunk
    position = 0
  }

  /// The next decompressed bytes, never empty; nil when another chunk is needed.
  ///
  /// - Throws: `GzipError.damaged`, `.tooLarge`.
  public func next() throws(GzipError) -> [UInt8]? {
    if let failure { throw failure }
    while isInsideMember || position < input.count {
      if !isInsideMember {
        inflateReset(stream)
        isInsideMember = true
      }
      let (status, piece) = inflatePiece()
      switch status {
      case Z_STREAM_END: isInsideMember = false
      case Z_OK: break
      case Z_BUF_ERROR: return nil
      default: throw fail(.damaged(offset: consumedByteCount + position, reason: reason(status)))
      }
      producedByteCount += piece.count
      if producedByteCount > byteLimit { throw fail(.tooLarge(byteLimit: byteLimit)) }
      if !piece.isEmpty { return piece }
    }
    return nil
  }

  /// Checks that the file is complete.
  ///
  /// - Throws: `GzipError.cutOff`.
  /// - Precondition: ``next()`` has answered nil, or thrown, since the last chunk.
  public func finish() throws(GzipError) {
    if let failure { throw failure }
    precondition(position == input.count, "bytes are left of the last chunk")
    let byteCount = consumedByteCount + input.count
    if isInsideMember || byteCount == 0 { throw fail(.cutOff(byteCount: byteCount)) }
  }

  private func inflatePiece() -> (status: Int32, piece: [UInt8]) {
    var status = Z_OK
    let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceByteCount) { buffer, count in
      input.withUnsafeBufferPointer { source in
        let rest = UInt32(clamping: source.count - position)
        let start = source.baseAddress.map { $0 + position }
        stream.pointee.next_in = UnsafeMutablePointer(mutating: start)
        stream.pointee.avail_in = rest
        stream.pointee.next_out = buffer.baseAddress
        stream.pointee.avail_out = UInt32(buffer.count)
        status = inflate(stream, Z_NO_FLUSH)
        position += Int(rest - stream.pointee.avail_in)
        count = buffer.count - Int(stream.pointee.avail_out)
        // The bytes may move, so zlib must not keep their address.
        stream.pointee.next_in = nil
      }
    }
    return (status, piece)
  }

  private func reason(_ status: Int32) -> String {
    stream.pointee.msg.map { String(cString: $0) } ?? "zlib's error \(status)"
  }

  private func fail(_ error: GzipError) -> GzipError {
    failure = error
    return error
  }
}
