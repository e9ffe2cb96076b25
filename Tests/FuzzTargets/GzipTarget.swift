import Gzip

/// A gzip file: unpacking it in chunks of any size gives the same bytes, never more than the limit.
/// Packed bytes unpack unchanged.
enum GzipTarget {
  private static let byteLimit = 1 << 20

  static func run(_ bytes: [UInt8]) throws(FuzzTarget.Finding) -> Bool {
    let whole = unpack(bytes, by: .max)
    try expect(unpack(bytes, by: 3) == whole, "otherwise in other chunks")
    try expect(whole?.count ?? 0 <= byteLimit, "more than the limit came out")
    let compressor = GzipCompressor()
    let packed = compressor.compress(bytes) + compressor.finish()
    try expect(unpack(packed, by: 7) == bytes, "not unpacked as it was packed")
    return whole != nil
  }

  /// The unpacked bytes; nil if they are refused.
  private static func unpack(_ bytes: [UInt8], by chunkByteCount: Int) -> [UInt8]? {
    let decompressor = GzipDecompressor(byteLimit: byteLimit)
    var (rest, result): (ArraySlice<UInt8>, [UInt8]) = (bytes[...], [])
    do throws(GzipError) {
      while !rest.isEmpty {
        let chunk = Array(rest.prefix(chunkByteCount))
        rest = rest.dropFirst(chunk.count)
        decompressor.feed(chunk)
        while let piece = try decompressor.next() { result += piece }
      }
      try decompressor.finish()
      return result
    } catch {
      return nil
    }
  }
}
