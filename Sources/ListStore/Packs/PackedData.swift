import Gzip

/// Deflated data with its length and a digest.
///
///     data    = %x01 length digest deflated
///     length  = number     ; of the bytes before they were deflated
///     digest  = 8OCTET     ; the start of the SHA-256 of the length and the deflated bytes
///     number  = as ByteWriter writes it
enum PackedData {
  private static let version: UInt8 = 1

  static func pack(_ bytes: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(count: bytes.count)
    let deflated = Deflate.compress(bytes)
    let digest = ByteReader.digest(of: (writer.bytes + deflated)[...])
    return [version] + writer.bytes + digest + deflated
  }

  /// Expands data, after comparing its digest.
  ///
  /// - Throws: `Malformed` when the data is not as packed. The digest finds accidental damage. The
  ///   length bounds the memory that hostile data can use, to about a thousand times its own size.
  static func unpack(_ data: [UInt8]) throws(ByteReader.Malformed) -> [UInt8] {
    var reader = ByteReader(data)
    guard try reader.byte() == version else { throw ByteReader.Malformed() }
    let start = reader.index
    let count = try reader.count(upTo: data.count * Deflate.largestRatio)
    let length = data[start..<reader.index]
    let digest = try reader.bytes(ByteReader.digestByteCount)
    let deflated = data[reader.index...]
    guard digest.elementsEqual(ByteReader.digest(of: length + deflated)),
      let bytes = Deflate.expand(deflated, to: count)
    else { throw ByteReader.Malformed() }
    return bytes
  }
}
