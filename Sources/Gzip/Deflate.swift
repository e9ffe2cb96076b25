import CZlib

/// Raw deflate (RFC 1951) of bytes in memory, by libdeflate where the system has it, otherwise by
/// zlib.
public enum Deflate {
  /// The most bytes that one byte of compressed data can stand for, as zlib's manual says it.
  public static let largestRatio = 1032

  /// With the default level of either library, 6: higher ones save 1 % of a history, and take up to
  /// four times as long.
  ///
  /// - Complexity: O(n) for n bytes.
  public static func compress(_ bytes: [UInt8]) -> [UInt8] {
    #if os(Linux)
      if let compressed = LibDeflate.loaded?.compress(bytes, level: 6) { return compressed }
    #endif
    return compressByZlib(bytes)
  }

  static func compressByZlib(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    // A window of 15 bits, negative for raw data; 9 is zlib's largest memory level.
    let status = deflateInit2_(
      &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    precondition(status == Z_OK, "zlib does not start: \(status)")
    defer { deflateEnd(&stream) }
    precondition(bytes.count <= UInt32.max, "zlib's lengths have 32 bits")
    let bound = Int(deflateBound(&stream, UInt(bytes.count)))
    return bytes.withUnsafeBufferPointer { source in
      [UInt8](unsafeUninitializedCapacity: bound) { target, count in
        stream.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        let status = deflate(&stream, Z_FINISH)
        precondition(status == Z_STREAM_END, "zlib's bound is too small: \(status)")
        count = target.count - Int(stream.avail_out)
      }
    }
  }

  /// The bytes that were compressed.
  ///
  /// - Parameters:
  ///   - data: all of the compressed data, and nothing behind it.
  ///   - count: how many bytes there were. No more memory is used.
  /// - Returns: nil if the data is not that of so many bytes.
  public static func expand(_ data: ArraySlice<UInt8>, to count: Int) -> [UInt8]? {
    guard data.count <= UInt32.max, count >= 0, count <= UInt32.max else { return nil }
    #if os(Linux)
      if let library = LibDeflate.loaded { return library.expand(data, to: count) }
    #endif
    return expandByZlib(data, to: count)
  }

  static func expandByZlib(_ data: ArraySlice<UInt8>, to count: Int) -> [UInt8]? {
    var stream = z_stream()
    let status = inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(status == Z_OK, "zlib does not start: \(status)")
    defer { inflateEnd(&stream) }
    var isWhole = false
    let bytes = data.withUnsafeBufferPointer { source in
      // A place behind the bytes, since zlib wants one to find the end of nothing.
      [UInt8](unsafeUninitializedCapacity: count + 1) { target, filled in
        stream.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        let status = inflate(&stream, Z_FINISH)
        filled = target.count - Int(stream.avail_out)
        isWhole = status == Z_STREAM_END && stream.avail_in == 0 && filled == count
      }
    }
    return isWhole ? bytes : nil
  }
}
