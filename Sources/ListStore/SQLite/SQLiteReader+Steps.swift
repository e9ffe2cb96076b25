import GRDB
import ListChanges
import ListModel

/// The kinds of change rows, as numbered in the schema.
enum ChangeKind: Int64 {
  case remove = 1
  case move = 2
  case insert = 3
  case update = 4
}

/// A row of the log.
struct ChangeRow {
  let kind: ChangeKind
  let item: ItemKey
  let from: Int?
  let to: Int?
  let oldContent: ContentKey?
  let newContent: ContentKey?

  static let columns = "kind, item, old_index, new_index, old_content, new_content"

  /// Reads `columns`, the first of them at the given column of the result.
  init(_ statement: RawStatement, column: Int32) throws {
    guard let kind = ChangeKind(rawValue: statement.integer(column)) else {
      throw StoreError.corrupt(reason: "a change is of a kind that does not exist")
    }
    self.kind = kind
    item = ItemKey(rawValue: statement.integer(column + 1))
    from = statement.optionalInteger(column + 2).map { Int($0) }
    to = statement.optionalInteger(column + 3).map { Int($0) }
    oldContent = statement.optionalInteger(column + 4).map { ContentKey(rawValue: $0) }
    newContent = statement.optionalInteger(column + 5).map { ContentKey(rawValue: $0) }
  }
}

extension SQLiteReader {
  func steps(_ range: ClosedRange<Version>, of list: ListKey) throws -> [Step] {
    let ranges = try rowRanges(range, of: list)
    guard ranges.count == range.upperBound.number - range.lowerBound.number + 1 else {
      throw StoreError.corrupt(reason: "versions are missing between \(range)")
    }
    var oldCount = try itemCount(before: range.lowerBound, of: list)
    return try ranges.map { rows in
      defer { oldCount = rows.itemCount }
      return try step(rows, oldCount: oldCount)
    }
  }

  /// Where the rows of a version lie in the log.
  private struct RowRange {
    let version: Version
    let first: Int64
    let count: Int64
    let itemCount: Int
  }

  private func rowRanges(
    _ range: ClosedRange<Version>, of list: ListKey
  ) throws -> [RowRange] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT version, first_change, change_count, item_count FROM versions
        WHERE list_id = ? AND version BETWEEN ? AND ? ORDER BY version
        """,
      arguments: [list.rawValue, range.lowerBound.number, range.upperBound.number]
    ).map {
      RowRange(version: Version($0[0]), first: $0[1], count: $0[2], itemCount: $0[3])
    }
  }

  private func itemCount(before version: Version, of list: ListKey) throws -> Int {
    if version.number <= 1 { return 0 }
    let count = try Int.fetchOne(
      db, sql: "SELECT item_count FROM versions WHERE list_id = ? AND version = ?",
      arguments: [list.rawValue, version.number - 1])
    guard let count else {
      throw StoreError.corrupt(reason: "version \(version.number - 1) is missing")
    }
    return count
  }

  private func step(_ rows: RowRange, oldCount: Int) throws -> Step {
    var builder = StepBuilder()
    let statement = try RawStatement(
      db, "SELECT \(ChangeRow.columns) FROM changes WHERE change_id BETWEEN ? AND ?")
    statement.bind(rows.first, at: 1)
    statement.bind(rows.first + rows.count - 1, at: 2)
    defer { statement.reset() }
    var count: Int64 = 0
    while try statement.step() {
      try builder.add(ChangeRow(statement, column: 0))
      count += 1
    }
    guard count == rows.count else {
      throw StoreError.corrupt(
        reason: "version \(rows.version) has \(count) of its \(rows.count) changes")
    }
    do {
      let changes = try builder.changeSet(oldCount: oldCount, newCount: rows.itemCount)
      return Step(version: rows.version, changes: changes)
    } catch {
      throw StoreError.corrupt(reason: "the step of version \(rows.version) is broken: \(error)")
    }
  }
}

/// Gathers the rows of one step into a change set.
private struct StepBuilder {
  typealias Changes = ChangeSet<StoredItem>

  private var removed: [Changes.Removal] = []
  private var moved: [Changes.Move] = []
  private var inserted: [Changes.Insertion] = []
  private var updated: [Changes.Update] = []

  mutating func add(_ row: ChangeRow) throws {
    let old = row.oldContent.map { StoredItem(id: row.item, content: $0) }
    let new = row.newContent.map { StoredItem(id: row.item, content: $0) }
    switch (row.kind, row.from, row.to, old, new) {
    case (.remove, let from?, nil, let old?, nil):
      removed.append(.init(from: from, element: old))
    case (.insert, nil, let to?, nil, let new?):
      inserted.append(.init(to: to, element: new))
    case (.move, let from?, let to?, let old?, let new?):
      moved.append(.init(from: from, to: to, id: row.item))
      if old != new { updated.append(.init(from: from, to: to, old: old, new: new)) }
    case (.update, let from?, let to?, let old?, let new?) where old != new:
      updated.append(.init(from: from, to: to, old: old, new: new))
    default:
      throw StoreError.corrupt(reason: "a change lacks a part, or has one too many")
    }
  }

  func changeSet(oldCount: Int, newCount: Int) throws -> Changes {
    try Changes(
      oldCount: oldCount, newCount: newCount, removed: removed, moved: moved, inserted: inserted,
      updated: updated.sorted { $0.to < $1.to })
  }
}
