import GRDB
import ListChanges
import ListModel
import ListStore
import RawSQLite

extension StoreReader {
  func keptChanges(from: Version, to: Version, of list: ListKey) throws -> KeptChanges? {
    let statement = try RawStatement(
      self,
      """
      SELECT used_at, data, \(DigestedTable.changeSets.isSound) FROM change_sets
      WHERE list_id = ? AND from_version = ? AND to_version = ?
      """)
    bind(from, to, list, to: statement)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    guard statement.integer(2) == 1 else { throw DigestedTable.changeSets.damage }
    return KeptChanges(
      changes: try ChangeSetCoding.decode(statement.bytes(1)),
      usedAt: Timestamp(millisecondsSince1970: statement.integer(0)))
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

  fileprivate func bind(
    _ from: Version, _ to: Version, _ list: ListKey, to statement: RawStatement
  ) {
    statement.bind(list.rawValue, at: 1)
    statement.bind(Int64(from.number), at: 2)
    statement.bind(Int64(to.number), at: 3)
  }
}

extension StoreWriter {
  func keepChanges(
    _ changes: ChangeSet<Item>?, from: Version, to: Version, of list: ListKey,
    usedAt time: Timestamp, byteLimit: Int
  ) throws {
    if let changes {
      try keep(changes, from, to, list, time, byteLimit: byteLimit)
    } else {
      let statement = try RawStatement(
        self,
        """
        UPDATE change_sets SET used_at = ?4
        WHERE list_id = ?1 AND from_version = ?2 AND to_version = ?3
        """)
      bind(from, to, list, to: statement)
      statement.bind(time.millisecondsSince1970, at: 4)
      try statement.run()
    }
  }

  private func keep(
    _ changes: ChangeSet<Item>, _ from: Version, _ to: Version, _ list: ListKey,
    _ time: Timestamp, byteLimit: Int
  ) throws {
    let data = ChangeSetCoding.encode(changes)
    guard data.count <= byteLimit else { return }
    try makeRoom(byteLimit - data.count, at: time)
    let insertion = DigestedTable.changeSets.insertion(replaces: true, other: ["used_at"])
    try RawStatement(self, insertion).run(
      .integer(list.rawValue), RawValue(from.number), RawValue(to.number), RawValue(data.count),
      .blob(data), .integer(time.millisecondsSince1970))
  }

  /// Drops the least recently used until the others take no more than so many bytes.
  ///
  /// A use after now was noted by a clock that was ahead, and counts as the longest ago: else what
  /// was used then would push out whatever is used now until the clock has come there again.
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
