/// The bytes of a block, and how many bytes its texts may have.
///
/// The row of a block has the number of bytes that the block unfolds to: its own before they are
/// deflated, and those of its texts, most of which are differences in the block.
struct UnfoldedBlock {
  let bytes: [UInt8]
  /// The largest number of bytes of all texts.
  let textByteLimit: Int

  /// - Parameters:
  ///   - data: the data of a row of `blocks`.
  ///   - byteCount: the number of bytes that the block unfolds to.
  init(_ data: [UInt8], byteCount: Int) throws(ByteReader.Malformed) {
    bytes = try PackedData.unpack(data, upTo: byteCount)
    textByteLimit = byteCount - bytes.count
  }

  init(_ bytes: [UInt8], textByteLimit: Int) {
    (self.bytes, self.textByteLimit) = (bytes, textByteLimit)
  }
}
