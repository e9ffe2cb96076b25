/// The floor of deltas: the rows of a range of versions, each with its item's id and its new
/// content, read by one prepared statement, texts copied out.
struct BareReading {
  private let statement: BareStatement

  init(_ database: BareDatabase) throws {
    statement = try database.prepare(
      """
      SELECT changes.kind, changes.old_index, changes.new_index, item.id, content.content
      FROM versions
      JOIN changes ON changes.change_id >= versions.first_change
        AND changes.change_id < versions.first_change + versions.change_count
      JOIN changes AS item ON item.change_id = changes.item
      LEFT JOIN changes AS content ON content.change_id = changes.new_content
      WHERE versions.list_id = 1 AND versions.version > ? AND versions.version <= ?
      """)
  }

  /// Reads the changes after one version, up to another; tells how many there were.
  func run(since start: Int, to end: Int) throws -> Int {
    var (rowCount, byteCount, sum) = (0, 0, 0)
    statement.bind(start, at: 1)
    statement.bind(end, at: 2)
    while try statement.step() {
      rowCount += 1
      sum &+= statement.number(0) &+ statement.number(1) &+ statement.number(2)
      byteCount += statement.text(3).count + statement.text(4).count
    }
    statement.reset()
    precondition(byteCount > 0 && sum != 0, "a range of versions has rows")
    return rowCount
  }
}
