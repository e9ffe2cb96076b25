import GRDB
import ListChanges
import ListModel
import ListStore
import RawSQLite

extension StoreReader {
  func keptChanges(from: Version, to: Version, of list: ListKey) throws -> KeptChanges? {
    try rows(
      of: .changeSets, "used_at, data",
      "WHERE list_id = ? AND from_version = ? AND to_version = ?",
      RawValue(list), RawValue(from), RawValue(to)
    ) { row in
      (try ChangeSetCoding.decode(row.bytes(1)), Timestamp(millisecondsSince1970: row.integer(0)))
    }.first
  }

  func keptRanges(of list: ListKey) throws -> [KeptRange] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT from_version, to_version FROM change_sets
        WHERE list_id = ? AND min(from_version, to_version) >= 0 ORDER BY 1, 2
        """, arguments: [list.rawValue])
    return rows.map { KeptRange(from: Version($0[0]), to: Version($0[1])) }
  }
}

extension StoreWriter {
  func keepChanges(
    _ changes: ChangeSet<Item>?, from: Version, to: Version, of list: ListKey,
    usedAt time: Timestamp, byteLimit: Int
  ) throws {
    guard let changes else {
      return try RawStatement(
        self,
        """
        UPDATE change_sets SET used_at = ?4
        WHERE list_id = ?1 AND from_version = ?2 AND to_version = ?3
        """
      ).run(RawValue(list), RawValue(from), RawValue(to), RawValue(time))
    }
    let data = ChangeSetCoding.encode(changes)
    guard data.count <= byteLimit else { return }
    try makeRoom(byteLimit - data.count, at: time)
    try insert(
      into: .changeSets, RawValue(list), RawValue(from), RawValue(to), RawValue(data.count),
      .blob(data), RawValue(time))
  }

  /// Drops the least recently used changes until the others have at most so many bytes.
  ///
  /// A use in the future was recorded by a clock that was ahead. It counts as the oldest use;
  /// otherwise these changes would displace all others until that time has come.
  private func makeRoom(_ byteLimit: Int, at now: Timestamp) throws {
    try db.execute(
      sql: """
        DELETE FROM change_sets WHERE change_set_id IN (
          SELECT change_set_id FROM (
            SELECT change_set_id, sum(byte_count) OVER (
              ORDER BY used_at <= ? DESC, used_at DESC, change_set_id DESC) AS total
            FROM change_sets)
          WHERE total > ?)
        """, arguments: [now.millisecondsSince1970, byteLimit])
  }
}
