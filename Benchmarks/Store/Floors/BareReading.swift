/// The floor of deltas: the change rows of a range of versions, each with its item's id and its
/// old and new content, which are what a delta holds, read by one prepared statement; texts are
/// copied out.
struct BareReading {
  private let statement: BareStatement

  /// - Parameter list: the key of the list.
  init(_ database: BareDatabase, list: Int = 1) throws {
    // As much as the store's own connections keep in memory.
    try database.run("PRAGMA cache_size = -32768")
    statement = try database.prepare(
      """
      SELECT changes.kind, changes.old_index, changes.new_index, item.id, old.content,
        coalesce(changes.content, new.content)
      FROM changes
      JOIN changes AS item
        ON item.change_id = coalesce(\(list) << 32 | changes.item, changes.change_id)
      LEFT JOIN changes AS old ON old.change_id = \(list) << 32 | changes.old_content
      LEFT JOIN changes AS new ON new.change_id = \(list) << 32 | changes.new_content
      WHERE changes.change_id >= (
          SELECT \(list) << 32 | first_change FROM versions
          WHERE version_id = \(list) << 32 | ?1 + 1)
        AND changes.change_id < coalesce((
          SELECT \(list) << 32 | first_change FROM versions
          WHERE version_id = \(list) << 32 | ?2 + 1), \(list) + 1 << 32)
      """)
  }

  /// Reads the changes after one version, up to another, and returns their number.
  func run(since start: Int, to end: Int) throws -> Int {
    var (rowCount, byteCount, sum) = (0, 0, 0)
    statement.bind(start, at: 1)
    statement.bind(end, at: 2)
    while try statement.step() {
      rowCount += 1
      sum &+= statement.number(0) &+ statement.number(1) &+ statement.number(2)
      for column: Int32 in 3...5 { byteCount += statement.text(column).count }
    }
    statement.reset()
    precondition(byteCount > 0 && sum != 0, "a range of versions has rows")
    return rowCount
  }
}
