import GRDB
import ListStore
import RawSQLite

extension StoreReader {
  /// Triggers number the changes without gaps. The schema's own number tells of a file whose
  /// content was restored or rebuilt.
  func changedLists(
    after mark: HeadMark?
  ) throws -> (mark: HeadMark?, changes: ChangedLists?) {
    let newest =
      try Int64.fetchOne(
        db.cachedStatement(sql: "SELECT max(number) FROM changed_lists")) ?? 0
    let origin = try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA schema_version")) ?? 0
    let now = HeadMark(counts: [0: newest], origin: origin)
    guard let mark, mark.origin == origin, let last = mark.counts[0] else { return (now, nil) }
    let statement = try RawStatement(
      self, "SELECT list_id FROM changed_lists WHERE number > ? ORDER BY number")
    statement.bind([.integer(last)])
    defer { statement.reset() }
    var lists: [Int64] = []
    while try statement.step() { lists.append(statement.integer(0)) }
    return (now, Int64(lists.count) == newest - last ? ChangedLists(Set(lists)) : nil)
  }
}
