import ListChanges
import ListModel
import ListStore

extension PostgresReader {
  func keptChanges(from: Version, to: Version, of list: ListKey) throws -> KeptChanges? {
    try rows(
      of: .changeSets, "WHERE list_id = $1 AND from_version = $2 AND to_version = $3",
      Value(list), Value(from), Value(to)
    ) { row in
      (
        try ChangeSetCoding.decode(row.bytes(4)),
        Timestamp(millisecondsSince1970: row.integer(5))
      )
    }.first
  }

  func keptRanges(of list: ListKey) throws -> [KeptRange] {
    var ranges: [KeptRange] = []
    try connection.query(
      """
      SELECT from_version, to_version FROM \(name(.changeSets))
      WHERE list_id = $1 AND least(from_version, to_version) >= 0 ORDER BY 1, 2
      """, [Value(list)]
    ) { row in
      ranges.append(
        KeptRange(from: Version(Int(row.integer(0))), to: Version(Int(row.integer(1)))))
    }
    return ranges
  }
}

extension PostgresWriter {
  func keepChanges(
    _ changes: ChangeSet<Item>?, from: Version, to: Version, of list: ListKey,
    usedAt time: Timestamp, byteLimit: Int
  ) throws {
    guard let changes else {
      return connection.queue(
        """
        UPDATE \(name(.changeSets)) SET used_at = $4
        WHERE list_id = $1 AND from_version = $2 AND to_version = $3
        """, [Value(list), Value(from), Value(to), Value(time)])
    }
    let data = ChangeSetCoding.encode(changes)
    guard data.count <= byteLimit else { return }
    try makeRoom(byteLimit - data.count, of: list, at: time)
    insert(
      into: .changeSets, Value(list), Value(from), Value(to), Value(data.count), .bytes(data),
      other: Value(time))
  }

  /// Drops the least recently used changes of a list until the others have at most so many bytes.
  /// The limit is for each list, since no statement concerns two lists.
  ///
  /// A use in the future was recorded by a clock that was ahead. It counts as the oldest use;
  /// otherwise these changes would displace all others until that time has come.
  private func makeRoom(_ byteLimit: Int, of list: ListKey, at now: Timestamp) throws {
    connection.queue(
      """
      DELETE FROM \(name(.changeSets)) WHERE list_id = $1 AND (from_version, to_version) IN (
        SELECT from_version, to_version FROM (
          SELECT from_version, to_version, sum(byte_count) OVER (
            ORDER BY used_at <= $2 DESC, used_at DESC, from_version DESC, to_version DESC) AS total
          FROM \(name(.changeSets)) WHERE list_id = $1) AS used
        WHERE total > $3)
      """, [Value(list), Value(now), Value(byteLimit)])
  }
}
