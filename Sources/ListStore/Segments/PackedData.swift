import Gzip

/// Deflated data with its length.
///
///     data    = %x01 length deflated
///     length  = number     ; of the bytes before they were deflated
///     number  = as ByteWriter writes it
enum PackedData {
  private static let version: UInt8 = 1

  static func pack(_ bytes: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(byte: version)
    writer.write(count: bytes.count)
    return writer.bytes + Deflate.compress(bytes)
  }

  /// Expands data.
  ///
  /// - Parameter limit: the largest number of bytes that the result may have.
  /// - Throws: `Malformed` when the data is not as packed, or has more bytes.
  static func unpack(_ data: [UInt8], upTo limit: Int) throws(ByteReader.Malformed) -> [UInt8] {
    var reader = ByteReader(data)
    guard try reader.byte() == version else { throw ByteReader.Malformed() }
    let count = try reader.count(upTo: min(limit, data.count * Deflate.largestRatio))
    guard let bytes = Deflate.expand(data[reader.index...], to: count) else {
      throw ByteReader.Malformed()
    }
    return bytes
  }
}
