import ListModel

/// The data of a row of `checkpoints`: parts, one after the other, as ``PartCoding`` writes them,
/// or the same deflated.
///
///     data = parts / %x00 packed     ; see PackedData; parts never begin with 0
enum CheckpointData {
  /// More bytes than the parts of a row have: the last one begins before
  /// ``StoredRow/checkpointByteCount``.
  private static let byteLimit = 2 * StoredRow.checkpointByteCount

  static func isPacked(_ data: [UInt8]) -> Bool { data.first == 0 }

  /// Deflates the parts of a checkpoint, unless they are short.
  static func pack(_ parts: [UInt8]) -> [UInt8] {
    let packed = [0] + PackedData.pack(parts)
    return packed.count < parts.count ? packed : parts
  }

  /// Returns the parts in the data of a row.
  ///
  /// - Throws: `StoreError.corrupt` if the data is not as packed.
  static func parts(_ data: [UInt8]) throws(StoreError) -> [UInt8] {
    guard isPacked(data) else { return data }
    do {
      return try PackedData.unpack(Array(data.dropFirst()), upTo: byteLimit)
    } catch {
      throw .corrupt(reason: "a checkpoint of a list is damaged")
    }
  }
}
