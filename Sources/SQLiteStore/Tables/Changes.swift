import GRDB
import ListChanges
import ListModel
import ListStore
import RawSQLite

extension ChangeRow {
  fileprivate static let columns =
    "change_id, kind, item, old_index, new_index, old_content, new_content"
}

/// Steps, and the changes of one item.
extension StoreReader {
  func steps(_ range: ClosedRange<Version>, of list: ListKey) throws -> [Step] {
    let ranges = try rowRanges(range, of: list)
    var oldCount = try itemCount(at: Version(max(1, range.lowerBound.number) - 1), of: list)
    let statement = try RawStatement(
      self,
      """
      SELECT \(ChangeRow.columns), \(DigestedTable.changes.isSound) FROM changes
      WHERE change_id BETWEEN ? AND ?
      """)
    statement.bind(list.base | (ranges.first?.rows.lowerBound ?? 0), at: 1)
    statement.bind(list.base | (ranges.last?.rows.upperBound ?? 0) - 1, at: 2)
    defer { statement.reset() }
    return try ranges.map { range in
      defer { oldCount = range.itemCount }
      return try step(range, oldCount: oldCount, of: list, from: statement)
    }
  }

  /// Reads `ChangeRow.columns`, then whether the row is as written.
  private func row(_ statement: RawStatement, of list: ListKey) throws -> ChangeRow {
    guard statement.integer(7) == 1 else { throw DigestedTable.changes.damage }
    return try ChangeRow(
      of: list, change: statement.integer(0), kind: statement.integer(1),
      item: statement.optionalInteger(2), from: statement.optionalInteger(3),
      to: statement.optionalInteger(4), oldContent: statement.optionalInteger(5),
      newContent: statement.optionalInteger(6))
  }

  func changeCount(_ range: ClosedRange<Version>, of list: ListKey) throws -> Int {
    try Int(
      firstRow(of: range.upperBound.next, in: list) - firstRow(of: range.lowerBound, in: list))
  }

  /// The rows of a version, as sequences.
  private struct RowRange {
    let version: Version
    let rows: Range<Int64>
    let itemCount: Int
    let counts: ChangeCounts
  }

  private func rowRanges(_ range: ClosedRange<Version>, of list: ListKey) throws -> [RowRange] {
    var end = try firstRow(of: range.upperBound.next, in: list)
    let ranges = try rows(
      of: .versions, "version, first_change, item_count, removed, moved, inserted, updated",
      "WHERE version_id BETWEEN ? AND ? ORDER BY version_id DESC",
      list.key(of: range.lowerBound), list.key(of: range.upperBound)
    ) { row in
      let first = row.integer(1)
      guard first <= end else {
        throw StoreError.corrupt(reason: "version \(row.integer(0)) has no row of its own")
      }
      defer { end = first }
      return RowRange(
        version: Version(Int(row.integer(0))), rows: first..<end, itemCount: Int(row.integer(2)),
        counts: ChangeCounts(row, from: 3))
    }
    guard ranges.count == range.upperBound.number - range.lowerBound.number + 1 else {
      throw StoreError.corrupt(reason: "versions are missing between \(range)")
    }
    return ranges.reversed()
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
      try builder.add(row(statement, of: list))
    }
    do {
      let changes = try builder.changeSet(oldCount: oldCount, newCount: range.itemCount)
      guard ChangeCounts(changes) == range.counts else {
        throw StoreError.corrupt(
          reason: "version \(range.version) does not have the changes that it counts")
      }
      return (range.version, changes)
    } catch let error as ListChangesError<ItemKey> {
      throw StoreError.corrupt(reason: "the step of version \(range.version) is broken: \(error)")
    }
  }

  func history(of item: ItemKey, in list: ListRecord, receive: (ItemChange) throws -> Bool) throws {
    let first = list.firstStep
    guard first <= list.head else { return }
    let firstChange = list.key.base | (try firstRow(of: first, in: list.key))
    // Two indexes hold the introducing row and the later ones.
    let columns = "\(ChangeRow.columns), \(DigestedTable.changes.isSound)"
    let statement = try RawStatement(
      self,
      """
      SELECT \(columns) FROM changes WHERE list_id = ?1 AND item = ?2 AND change_id >= ?3
      UNION ALL
      SELECT \(columns) FROM changes WHERE change_id = ?4 AND change_id >= ?3
      ORDER BY change_id DESC
      """)
    statement.bind([
      RawValue(list.key), .integer(item.sequence), .integer(firstChange), .integer(item.rawValue),
    ])
    defer { statement.reset() }
    var newest = list.head
    while try statement.step() {
      let row = try row(statement, of: list.key)
      newest = try version(ofChange: row.sequence, in: list.key, from: first, to: newest)
      guard try receive(ItemChange(row, in: newest)) else { return }
    }
  }

  /// The version of a row: the last one whose first row is not behind it.
  ///
  /// - Complexity: O(log v) rows read for v versions between the two.
  private func version(
    ofChange sequence: Int64, in list: ListKey, from first: Version, to last: Version
  ) throws -> Version {
    let later = first.number + 1..<last.number + 1
    let next = try later.partitioningIndex { try firstRow(of: Version($0), in: list) > sequence }
    return Version(next - 1)
  }
}

extension StoreReader {
  /// How many of an item's newest changes are searched for a content that returns. The limit keeps
  /// commits to an item with a long history fast.
  private static let searchedChangeCount = 16

  func contentKeys(
    of contents: [(item: ItemKey, content: Content)], in list: ListKey
  ) throws -> [ContentKey?] {
    let statement = try RawStatement(
      self,
      """
      SELECT change_id FROM changes WHERE change_id = ?1 AND content = ?2
      UNION ALL
      SELECT change_id FROM (
        SELECT change_id, content FROM changes WHERE list_id = ?3 AND item = ?4
        ORDER BY change_id DESC LIMIT \(Self.searchedChangeCount))
      WHERE content = ?2
      LIMIT 1
      """)
    defer { statement.reset() }
    return try contents.map { item, content in
      statement.reset()
      statement.bind(item.rawValue, at: 1)
      statement.bind(.utf8(content.bytes), at: 2)
      statement.bind(list.rawValue, at: 3)
      statement.bind(item.sequence, at: 4)
      return try statement.step() ? ContentKey(rawValue: statement.integer(0)) : nil
    }
  }
}

extension StoreWriter {
  /// Stores the rows that a body makes.
  ///
  /// - Returns: the body's result, and the ids that the rows introduce, in ascending order.
  func insertRows<Result>(
    of list: ListKey, from firstChange: Int64, _ body: (inout StepWriter) throws -> Result
  ) throws -> (Result, introduced: [IDEntry]) {
    let insertion = try RawStatement(self, DigestedTable.changes.insertion)
    var writer = StepWriter(list: list, firstChange: firstChange) { row, id, content in
      insertion.bind(row.change, at: 1)
      insertion.bind(row.kind.rawValue, at: 2)
      insertion.bind(row.itemColumn, at: 3)
      insertion.bind(row.oldIndexColumn, at: 5)
      insertion.bind(row.newIndexColumn, at: 6)
      insertion.bind(row.oldContentColumn, at: 7)
      insertion.bind(row.newContentColumn, at: 8)
      try insertion.run(text: id?.text, at: 4, content: content?.bytes, at: 9)
    }
    let result = try body(&writer)
    try setNextRow(writer.nextSequence, of: list)
    return (result, writer.introduced)
  }
}
