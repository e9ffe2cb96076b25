import GRDB
import ListChanges
import ListModel
import ListStore
import RawSQLite

extension ChangeRow {
  static let columns = """
    change_id, kind, item, old_index, new_index, old_content, new_content,
      \(DigestedTable.changes.isSound)
    """

  /// Reads `columns`, the first of the statement's.
  init(_ statement: RawStatement, of list: ListKey) throws {
    guard statement.integer(7) == 1 else { throw DigestedTable.changes.damage }
    try self.init(
      of: list, change: statement.integer(0), kind: statement.integer(1),
      item: statement.optionalInteger(2), from: statement.optionalInteger(3),
      to: statement.optionalInteger(4), oldContent: statement.optionalInteger(5),
      newContent: statement.optionalInteger(6))
  }
}

/// Steps, and the changes of one item.
extension StoreReader {
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

  func history(
    of item: ItemKey, in list: ListRecord, receive: (ItemChange) throws -> Bool
  ) throws {
    let first = list.firstStep
    guard first <= list.head else { return }
    let firstChange = list.key.base | (try firstRow(of: first, in: list.key))
    // The introducing row and the later ones lie in two indexes; the later ones come first.
    let statement = try RawStatement(
      self,
      """
      SELECT \(ChangeRow.columns) FROM changes
      WHERE list_id = ? AND item = ? AND change_id >= ? ORDER BY change_id DESC
      """)
    statement.bind(list.key.rawValue, at: 1)
    statement.bind(item.sequence, at: 2)
    statement.bind(firstChange, at: 3)
    defer { statement.reset() }
    var newest = list.head
    while try statement.step() {
      let change = try itemChange(statement, in: list, from: first, to: newest)
      newest = change.version
      guard try receive(change) else { return }
    }
    guard item.rawValue >= firstChange else { return }
    let introduction = try RawStatement(
      self, "SELECT \(ChangeRow.columns) FROM changes WHERE change_id = ?")
    introduction.bind(item.rawValue, at: 1)
    defer { introduction.reset() }
    guard try introduction.step() else { return }
    _ = try receive(itemChange(introduction, in: list, from: first, to: newest))
  }

  private func itemChange(
    _ statement: RawStatement, in list: ListRecord, from first: Version, to last: Version
  ) throws -> ItemChange {
    let row = try ChangeRow(statement, of: list.key)
    let version = try version(
      ofChange: row.change & ListKey.largestSequence, in: list.key, from: first, to: last)
    return ItemChange(row, in: version)
  }

  /// The version that a row belongs to: the last one whose first row is not behind it.
  ///
  /// - Complexity: O(log v) rows read for v versions between the two.
  private func version(
    ofChange sequence: Int64, in list: ListKey, from first: Version, to last: Version
  ) throws -> Version {
    var (low, high) = (first.number, last.number)
    while low < high {
      let middle = (low + high + 1) / 2
      if try firstRow(of: Version(middle), in: list) <= sequence {
        low = middle
      } else {
        high = middle - 1
      }
    }
    return Version(low)
  }
}

extension StoreReader {
  func keys(of ids: [ItemID], in list: ListKey) throws -> [ItemKey?] {
    let statement = try RawStatement(self, Self.keyByID)
    defer { statement.reset() }
    return try ids.map { id in
      statement.reset()
      statement.bind([.integer(list.rawValue), .text(id.text)])
      guard try statement.step() else { return nil }
      guard statement.integer(1) == 1 else { throw DigestedTable.changes.damage }
      return ItemKey(rawValue: statement.integer(0))
    }
  }

  private static let keyByID = """
    SELECT change_id, \(DigestedTable.changes.isSound) FROM changes WHERE list_id = ? AND id = ?
    """

  /// So many of an item's newest changes are searched for a content that comes back: an item with a
  /// long history must not make its commits slower.
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
      statement.bind(text: content.bytes, at: 2)
      statement.bind(list.rawValue, at: 3)
      statement.bind(item.sequence, at: 4)
      return try statement.step() ? ContentKey(rawValue: statement.integer(0)) : nil
    }
  }
}

extension StoreWriter {
  /// Hands rows to a body that makes them, and stores them.
  ///
  /// - Returns: what the body returns, and the sequence of the row that comes next.
  func insertRows<Result>(
    of list: ListKey, from firstChange: Int64, _ body: (inout StepWriter) throws -> Result
  ) throws -> Result {
    let insertion = try RawStatement(self, DigestedTable.changes.insertion())
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
    return result
  }
}
