import ListChanges
import ListModel
import RawSQLite

extension SQLiteReader {
  func steps(_ range: ClosedRange<Version>, of list: ListKey) throws -> [Step] {
    let ranges = try rowRanges(range, of: list)
    var oldCount = try itemCount(before: range.lowerBound, of: list)
    let statement = try RawStatement(
      self, "SELECT \(ChangeRow.columns) FROM changes WHERE change_id BETWEEN ? AND ?")
    statement.bind(list.base | (ranges.first?.rows.lowerBound ?? 0), at: 1)
    statement.bind(list.base | (ranges.last?.rows.upperBound ?? 0) - 1, at: 2)
    defer { statement.reset() }
    return try ranges.map { range in
      defer { oldCount = range.itemCount }
      return try step(range, oldCount: oldCount, of: list, from: statement)
    }
  }

  func changeCount(_ range: ClosedRange<Version>, of list: ListKey) throws -> Int {
    try Int(
      firstRow(of: range.upperBound.next, in: list) - firstRow(of: range.lowerBound, in: list))
  }

  /// Where the rows of a version lie in the log.
  private struct RowRange {
    let version: Version
    let rows: Range<Int64>
    let itemCount: Int
    let counts: ChangeCounts
  }

  private func rowRanges(
    _ range: ClosedRange<Version>, of list: ListKey
  ) throws -> [RowRange] {
    let statement = try RawStatement(
      self,
      """
      SELECT version, first_change, item_count, removed, moved, inserted, updated,
        \(DigestedTable.versions.isSound) FROM versions
      WHERE version_id BETWEEN ? AND ? ORDER BY version_id DESC
      """)
    statement.bind(list.base | Int64(range.lowerBound.number), at: 1)
    statement.bind(list.base | Int64(range.upperBound.number), at: 2)
    defer { statement.reset() }
    var end = try firstRow(of: range.upperBound.next, in: list)
    var ranges: [RowRange] = []
    while try statement.step() {
      let first = statement.integer(1)
      guard statement.integer(7) == 1 else { throw DigestedTable.versions.damage }
      guard first <= end else {
        throw StoreError.corrupt(reason: "version \(statement.integer(0)) has no row of its own")
      }
      let counts = (3...6).map { Int(statement.integer($0)) }
      ranges.append(
        RowRange(
          version: Version(Int(statement.integer(0))), rows: first..<end,
          itemCount: Int(statement.integer(2)),
          counts: ChangeCounts(
            removed: counts[0], moved: counts[1], inserted: counts[2], updated: counts[3])))
      end = first
    }
    guard ranges.count == range.upperBound.number - range.lowerBound.number + 1 else {
      throw StoreError.corrupt(reason: "versions are missing between \(range)")
    }
    return ranges.reversed()
  }

  /// The sequence of a version's first row; of the version after the head, that of the row to come.
  func firstRow(of version: Version, in list: ListKey) throws -> Int64 {
    let statement = try RawStatement(
      self,
      """
      SELECT first_change, \(DigestedTable.versions.isSound) FROM versions WHERE version_id = ?1
      UNION ALL
      SELECT next_change, \(DigestedTable.lists.isSound) FROM lists
      WHERE list_id = ?2 AND head + 1 = ?3
      LIMIT 1
      """)
    statement.bind(list.base | Int64(version.number), at: 1)
    statement.bind(list.rawValue, at: 2)
    statement.bind(Int64(version.number), at: 3)
    defer { statement.reset() }
    guard try statement.step() else {
      throw StoreError.corrupt(reason: "version \(version) is missing")
    }
    guard statement.integer(1) == 1 else { throw DigestedTable.versions.damage }
    return statement.integer(0)
  }

  private func itemCount(before version: Version, of list: ListKey) throws -> Int {
    version.number <= 1 ? 0 : try itemCount(at: Version(version.number - 1), of: list)
  }

  func itemCount(at version: Version, of list: ListKey) throws -> Int {
    if version == .zero { return 0 }
    let statement = try RawStatement(
      self,
      """
      SELECT item_count, \(DigestedTable.versions.isSound) FROM versions WHERE version_id = ?
      """)
    statement.bind(list.base | Int64(version.number), at: 1)
    defer { statement.reset() }
    guard try statement.step() else {
      throw StoreError.corrupt(reason: "version \(version) is missing")
    }
    guard statement.integer(1) == 1 else { throw DigestedTable.versions.damage }
    return Int(statement.integer(0))
  }

  /// Reads the rows of one version, the statement's next.
  private func step(
    _ range: RowRange, oldCount: Int, of list: ListKey, from statement: RawStatement
  ) throws -> Step {
    var builder = StepBuilder(counts: range.counts)
    for sequence in range.rows {
      guard try statement.step(), statement.integer(0) == list.base | sequence else {
        throw StoreError.corrupt(reason: "version \(range.version) lacks change \(sequence)")
      }
      try builder.add(ChangeRow(statement, of: list))
    }
    do {
      let changes = try builder.changeSet(oldCount: oldCount, newCount: range.itemCount)
      guard ChangeCounts(changes) == range.counts else {
        throw StoreError.corrupt(
          reason: "version \(range.version) does not have the changes that it counts")
      }
      return Step(version: range.version, changes: changes)
    } catch let error as ListChangesError<ItemKey> {
      throw StoreError.corrupt(reason: "the step of version \(range.version) is broken: \(error)")
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

  /// - Parameter counts: how many changes of each kind to make room for.
  init(counts: ChangeCounts) {
    let limit = 1 << 20
    removed.reserveCapacity(max(0, min(counts.removed, limit)))
    moved.reserveCapacity(max(0, min(counts.moved, limit)))
    inserted.reserveCapacity(max(0, min(counts.inserted, limit)))
    updated.reserveCapacity(max(0, min(counts.updated, limit)))
  }

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
