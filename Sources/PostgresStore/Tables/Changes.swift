import ListChanges
import ListModel
import ListStore

extension ChangeRow {
  init(_ row: SoundRow) throws {
    try self.init(
      of: ListKey(rawValue: row.integer(0)), change: row.integer(1), kind: row.integer(7),
      item: row.optionalInteger(2), from: row.optionalInteger(3), to: row.optionalInteger(4),
      oldContent: row.optionalInteger(5), newContent: row.optionalInteger(6))
  }
}

/// Steps, and the changes of one item.
extension PostgresReader {
  func steps(_ range: ClosedRange<Version>, of list: ListKey) throws -> [Step] {
    var (oldCount, ranges) = try rowRanges(range, of: list)
    guard let first = ranges.first, let last = ranges.last else { return [] }
    var steps: [Step] = []
    var position = 0
    var builder = StepBuilder(counts: first.counts)
    var next = first.rows.lowerBound
    func finishSteps() throws {
      while position < ranges.count, next >= ranges[position].rows.upperBound {
        let range = ranges[position]
        do {
          steps.append(
            (
              range.version,
              try builder.changeSet(oldCount: oldCount, newCount: range.itemCount)
            ))
        } catch let error as ListChangesError<ItemKey> {
          throw StoreError.corrupt(
            reason: "the step of version \(range.version) is broken: \(error)")
        }
        guard ChangeCounts(steps[steps.count - 1].changes) == range.counts else {
          throw StoreError.corrupt(
            reason: "version \(range.version) has other changes than it counts")
        }
        oldCount = range.itemCount
        position += 1
        if position < ranges.count { builder = StepBuilder(counts: ranges[position].counts) }
      }
    }
    try finishSteps()
    _ = try rows(
      of: .changes, "WHERE list_id = $1 AND change >= $2 AND change < $3 ORDER BY change",
      Value(list), .integer(first.rows.lowerBound), .integer(last.rows.upperBound)
    ) { row in
      let change = try ChangeRow(row)
      guard change.sequence == next, position < ranges.count else {
        throw StoreError.corrupt(reason: "change \(next) is missing")
      }
      try builder.add(change)
      keepTexts(row, change, of: list)
      next += 1
      try finishSteps()
    }
    guard position == ranges.count else {
      throw StoreError.corrupt(reason: "change \(next) is missing")
    }
    return steps
  }

  /// How many changes of an item are read by one question.
  private static let historyPageCount = 256

  func history(
    of item: ItemKey, in list: ListRecord, receive: (ItemChange) throws -> Bool
  ) throws {
    let first = list.firstStep
    guard first <= list.head else { return }
    let starts = try rowRanges(first...first, of: list.key).ranges
    guard let firstChange = starts.first?.rows.lowerBound else { return }
    var end = list.key.last
    while true {
      let changes = try rows(
        of: .changes,
        """
        WHERE list_id = $1 AND (item = $2 OR change = $2) AND change >= $3 AND change < $4
        ORDER BY change DESC LIMIT \(Self.historyPageCount)
        """, Value(list.key), .integer(item.sequence), .integer(firstChange), .integer(end),
        read: ChangeRow.init)
      let versions = try versions(ofChanges: changes.map(\.sequence), in: list)
      for (change, version) in zip(changes, versions) {
        guard try receive(ItemChange(change, in: version)) else { return }
      }
      guard changes.count == Self.historyPageCount, let last = changes.last else { return }
      end = last.sequence
    }
  }

  /// The version of each row: the last one whose first row is not behind it.
  private func versions(ofChanges numbers: [Int64], in list: ListRecord) throws -> [Version] {
    guard !numbers.isEmpty else { return [] }
    var versions: [Int64: Version] = [:]
    try connection.query(
      """
      SELECT asked.change, (
        SELECT version FROM \(name(.versions)) AS versions
        WHERE versions.list_id = $1 AND first_change <= asked.change
        ORDER BY version DESC LIMIT 1)
      FROM unnest($2::bigint[]) AS asked (change)
      """, [Value(list.key), .integers(numbers)]
    ) { row in
      versions[row.integer(0)] = Version(Int(row.integer(1)))
    }
    return numbers.map { versions[$0] ?? .zero }
  }
}

extension PostgresReader {
  /// How many of an item's newest changes are searched for a content that returns. The limit keeps
  /// commits to an item with a long history fast.
  private static let searchedChangeCount = 16

  func contentKeys(
    of contents: [(item: ItemKey, content: Content)], in list: ListKey
  ) throws -> [ContentKey?] {
    guard !contents.isEmpty else { return [] }
    var keys: [ContentKey?] = Array(repeating: nil, count: contents.count)
    try connection.query(
      """
      SELECT asked.position, coalesce(
        (SELECT change FROM \(name(.changes)) WHERE list_id = $1 AND change = asked.item
          AND content = asked.content),
        (SELECT change FROM (
          SELECT change, content FROM \(name(.changes)) WHERE list_id = $1 AND item = asked.item
          ORDER BY change DESC LIMIT \(Self.searchedChangeCount)) AS newest
        WHERE newest.content = asked.content LIMIT 1))
      FROM unnest($2::bigint[], $3::bytea[]) WITH ORDINALITY AS asked (item, content, position)
      """,
      [
        Value(list), .integers(contents.map(\.item.sequence)),
        .byteArrays(contents.map(\.content.bytes)),
      ]
    ) { row in
      keys[Int(row.integer(0)) - 1] = row.optionalInteger(1).map { ContentKey(list, sequence: $0) }
    }
    return keys
  }
}

extension PostgresWriter {
  /// Stores the rows that a body makes.
  ///
  /// - Returns: the body's result, and the ids that the rows introduce, in ascending order.
  func insertRows<Result>(
    of list: ListKey, from firstChange: Int64, _ body: (inout StepWriter) throws -> Result
  ) throws -> (Result, introduced: [IDEntry]) {
    // The questions of the step come first, and its rows then: nothing else may use the connection
    // during a COPY.
    var rows: [(ChangeRow, ItemID?, Content?)] = []
    var writer = StepWriter(list: list, firstChange: firstChange) { row, id, content in
      rows.append((row, id, content))
    }
    let result = try body(&writer)
    itemKeys[list] = nil
    try insertMany(
      into: .changes,
      rows.lazy.map { row, id, content in
        (
          [
            Value(list), .integer(row.sequence), Value(row.itemColumn), Value(row.oldIndexColumn),
            Value(row.newIndexColumn), Value(row.oldContentColumn), Value(row.newContentColumn),
            .integer(row.kind.rawValue), Value(id?.text),
            content.map { .bytes($0.bytes) } ?? .null,
          ], nil
        )
      })
    try finishHead(of: list, nextChange: writer.nextSequence)
    return (result, writer.introduced)
  }
}
