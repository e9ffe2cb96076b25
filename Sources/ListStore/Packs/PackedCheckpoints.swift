import ListModel

/// The data of a row of `checkpoints`: parts, one after the other, as ``PartCoding`` writes them,
/// or the same deflated.
///
///     data = parts / %x00 packed     ; see PackedData; parts never begin with 0
enum CheckpointData {
  /// More bytes than the parts of a row have: the last one begins before
  /// ``ListWriter/rowByteCount``.
  private static let byteLimit = 2 * ListWriter.rowByteCount

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

/// Some checkpoints of a list, deflated.
public struct PackedCheckpoints: Sendable {
  let list: ListKey
  /// The new rows of each version.
  let rows: [Int64: [StoredRow]]
  /// The first version that was not examined; nil at the end.
  public let next: Version?
}

extension ListReader {
  /// The number of rows that are deflated at once, which have about 4 MB before. More rows are
  /// deflated at once if they belong to one version.
  private static let packedRowCount = 64

  /// Deflates the next checkpoints that are not deflated yet, a few at a time.
  ///
  /// - Parameters:
  ///   - list: the list.
  ///   - first: the first version that is examined.
  public func packedCheckpoints(of list: ListKey, from first: Version) throws -> PackedCheckpoints {
    var rows: [Int64: [StoredRow]] = [:]
    var (count, next): (Int, Version?) = (0, nil)
    let range = RowRange(of: .checkpoints, in: list, from: Int64(first.number))
    try visit(range) { row in
      let version = row.integer(1)
      if count >= Self.packedRowCount, rows[version] == nil {
        next = Version(Int(version))
        return false
      }
      let data = row.data
      if CheckpointData.isPacked(data) { return true }
      count += 1
      let values = StoredRow(row).values.prefix(4)
      rows[version, default: []].append(
        StoredRow(of: .checkpoints, Array(values), data: CheckpointData.pack(data)))
      return true
    }
    return PackedCheckpoints(list: list, rows: rows, next: next)
  }

  /// Returns the version that a change belongs to, in a list that has versions.
  func version(of change: Int64, in list: ListKey) throws -> Version {
    var range = RowRange(.versionsByFirstChange, prefix: [LogValue(list)]).descending(limit: 1)
    range.through = .integer(change)
    return try first(range) { try VersionRow($0).version } ?? Version(1)
  }
}

extension ListWriter {
  /// Replaces checkpoints by their deflated form, if they still exist.
  public func store(_ checkpoints: PackedCheckpoints) throws {
    let list = checkpoints.list
    _ = try lockedRow(of: list)
    for (version, rows) in checkpoints.rows.sorted(by: { $0.key < $1.key }) {
      let range = RowRange(of: .checkpoints, in: list, from: version, through: version)
      let count = try self.rows(range.withoutData) { _ in true }.count
      guard count == rows.count else { continue }
      try engineWriter.delete(range)
      for row in rows { try insert(row, into: .checkpoints) }
    }
  }
}
