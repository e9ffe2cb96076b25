import GRDB
import ListModel
import ListStore
import RawSQLite

extension StoreReader {
  func newestCheckpoint(of list: ListKey, notAfter version: Version) throws -> Version? {
    try Int.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT version FROM checkpoints WHERE list_id = ? AND version BETWEEN 1 AND ?
          ORDER BY version DESC LIMIT 1
          """), arguments: [list.rawValue, version.number]
    ).map { Version($0) }
  }

  func checkpoint(at version: Version, of list: ListKey) throws -> [StoredItem] {
    let statement = try RawStatement(
      self,
      """
      SELECT row, data, \(DigestedTable.checkpoints.isSound) FROM checkpoints
      WHERE list_id = ? AND version = ? ORDER BY row
      """)
    statement.bind(list.rawValue, at: 1)
    statement.bind(Int64(version.number), at: 2)
    defer { statement.reset() }
    var items: [StoredItem] = []
    let count = try itemCount(at: version, of: list)
    // No more room than is likely: a damaged store may count as far as numbers go.
    items.reserveCapacity(min(count, 1 << 20))
    var row: Int64 = 0
    while try statement.step() {
      guard statement.integer(0) == row else { break }
      guard statement.integer(2) == 1 else { throw DigestedTable.checkpoints.damage }
      try PartCoding.decode(statement.bytes(1), of: list, into: &items)
      row += 1
    }
    guard items.count == count else {
      throw StoreError.corrupt(
        reason: "the checkpoint at version \(version) has \(items.count) of \(count) items")
    }
    return items
  }
}

extension StoreWriter {
  /// Parts are joined to rows of some pages, since a page holds one row of half its size.
  private static let rowByteCount = 1 << 16

  func writeCheckpoint(_ items: [StoredItem], at version: Version, of list: ListKey) throws {
    var (row, data): (Int64, [UInt8]) = (0, [])
    for start in stride(from: 0, to: items.count, by: PartCoding.maximumCount) {
      let end = min(start + PartCoding.maximumCount, items.count)
      data += PartCoding.encode(items[start..<end])
      guard data.count >= Self.rowByteCount else { continue }
      try writeCheckpointRow(row, data, at: version, of: list)
      (row, data) = (row + 1, [])
    }
    // The checkpoint of an empty list is one empty row.
    if !data.isEmpty || row == 0 { try writeCheckpointRow(row, data, at: version, of: list) }
  }

  private func writeCheckpointRow(
    _ row: Int64, _ data: [UInt8], at version: Version, of list: ListKey
  ) throws {
    try RawStatement(self, DigestedTable.checkpoints.insertion(replaces: true)).run(
      .integer(list.rawValue), RawValue(version.number), .integer(row), .blob(data))
  }

  func dropCheckpoints(of list: ListKey) throws {
    try db.execute(
      sql: """
        DELETE FROM checkpoints WHERE list_id = ?1 AND version <> (
          SELECT iif(oldest > 1, oldest, 0) FROM lists WHERE list_id = ?1)
        """, arguments: [list.rawValue])
    try db.execute(sql: "DELETE FROM head_parts WHERE list_id = ?", arguments: [list.rawValue])
  }
}
