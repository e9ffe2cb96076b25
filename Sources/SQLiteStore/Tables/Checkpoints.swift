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
    let count = try itemCount(at: version, of: list)
    var items: [StoredItem] = []
    // A damaged store may have any count, so the reservation has a limit.
    items.reserveCapacity(min(count, 1 << 20))
    let rowNumbers = try rows(
      of: .checkpoints, "row, data", "WHERE list_id = ? AND version = ? ORDER BY row",
      RawValue(list), RawValue(version)
    ) { row in
      try PartCoding.decode(row.bytes(1), of: list, into: &items)
      return row.integer(0)
    }
    guard items.count == count, rowNumbers.elementsEqual(0..<Int64(rowNumbers.count)) else {
      throw StoreError.corrupt(
        reason: "the checkpoint at version \(version) has \(items.count) of \(count) items")
    }
    return items
  }
}

extension StoreWriter {
  /// Several parts share a row of some pages, since a page holds only one row of half its size.
  private static let rowByteCount = 1 << 16

  func writeCheckpoint(_ items: [StoredItem], at version: Version, of list: ListKey) throws {
    var (row, data): (Int64, [UInt8]) = (0, [])
    for start in stride(from: 0, to: items.count, by: PartCoding.maximumCount) {
      let end = min(start + PartCoding.maximumCount, items.count)
      data += PartCoding.encode(items[start..<end])
      // The checkpoint of an empty list is one empty row, behind the loop.
      guard data.count >= Self.rowByteCount, end < items.count else { continue }
      try insert(into: .checkpoints, RawValue(list), RawValue(version), .integer(row), .blob(data))
      (row, data) = (row + 1, [])
    }
    try insert(into: .checkpoints, RawValue(list), RawValue(version), .integer(row), .blob(data))
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
