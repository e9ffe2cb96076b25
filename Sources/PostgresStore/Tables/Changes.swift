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

/// Puts the changes of versions together.
private struct StepReading {
  private var ranges: ArraySlice<PostgresReader.RowRange>
  private var oldCount: Int
  private var builder: StepBuilder?
  private var next: Int64
  private var finished: [Step] = []

  init(_ versions: (oldCount: Int, ranges: [PostgresReader.RowRange])) throws {
    (oldCount, ranges) = (versions.oldCount, versions.ranges[...])
    next = ranges.first?.rows.lowerBound ?? 0
    try finishSteps()
  }

  /// - Throws: `StoreError.corrupt` if it is not the next change.
  mutating func add(_ change: ChangeRow) throws {
    guard change.sequence == next, let range = ranges.first else { throw missing }
    builder = builder ?? StepBuilder(counts: range.counts)
    try builder?.add(change)
    next += 1
    try finishSteps()
  }

  private mutating func finishSteps() throws {
    while let range = ranges.first, next >= range.rows.upperBound {
      let built = builder ?? StepBuilder(counts: range.counts)
      do {
        let changes = try built.changeSet(oldCount: oldCount, newCount: range.itemCount)
        guard ChangeCounts(changes) == range.counts else {
          throw StoreError.corrupt(
            reason: "version \(range.version) has other changes than it counts")
        }
        finished.append((range.version, changes))
      } catch let error as ListChangesError<ItemKey> {
        throw StoreError.corrupt(
          reason: "the step of version \(range.version) is broken: \(error)")
      }
      (oldCount, builder) = (range.itemCount, nil)
      ranges = ranges.dropFirst()
    }
  }

  /// All of them.
  ///
  /// - Throws: `StoreError.corrupt` if a change is missing.
  var steps: [Step] {
    get throws {
      guard ranges.isEmpty else { throw missing }
      return finished
    }
  }

  private var missing: StoreError { .corrupt(reason: "change \(next) is missing") }
}

/// Steps, and the changes of one item.
extension PostgresReader {
  func steps(_ range: ClosedRange<Version>, of list: ListKey) throws -> [Step] {
    let before = Version(max(1, range.lowerBound.number - 1))
    var reading =
      try askRows(before...range.upperBound.next, of: list)
      ? nil : StepReading(rowRanges(range, of: list))
    askHeadOfShortList(behind: range.upperBound, of: list)
    let rowCount = try askTexts(of: range, in: list)
    _ = try rows(
      of: .changes,
      """
      WHERE list_id = $1
        AND change >= (
          SELECT first_change FROM \(name(.versions)) WHERE list_id = $1 AND version = $2)
        AND change < coalesce(
          (SELECT first_change FROM \(name(.versions)) WHERE list_id = $1 AND version = $3 + 1),
          (SELECT next_change FROM \(name(.lists)) WHERE list_id = $1))
      ORDER BY change
      """, Value(list), Value(range.lowerBound), Value(range.upperBound), atMost: rowCount
    ) { row in
      let change = try ChangeRow(row)
      // The versions have arrived before the changes.
      if reading == nil { reading = try StepReading(keptRowRanges(range, of: list)) }
      try reading?.add(change)
      keepTexts(row, change, of: list)
    }
    return try (reading ?? StepReading(keptRowRanges(range, of: list))).steps
  }

  /// Asks for the texts that few changes name together with the next question, to be kept: callers
  /// ask for them next.
  ///
  /// - Returns: how many changes there are; nil if that is not known.
  private func askTexts(of range: ClosedRange<Version>, in list: ListKey) throws -> Int? {
    let (row, last) = (try row(list), range.upperBound)
    let behind = versionRows[list]?[last.next.number]?.firstChange
    guard let first = versionRows[list]?[range.lowerBound.number]?.firstChange,
      let end = behind ?? (row.record.head == last ? row.nextChange : nil),
      first < end
    else { return nil }
    if end - first > Self.fewChanges { return Int(end - first) }
    connection.ask(
      """
      SELECT \(columns(of: .changes)) FROM (
        SELECT DISTINCT value FROM \(name(.changes)) AS asking,
          LATERAL (VALUES (item), (old_content), (new_content)) AS named (value)
        WHERE list_id = $1 AND asking.change >= $2 AND asking.change < $3
          AND NOT (value >= $2 AND value < $3)) AS asked
      CROSS JOIN LATERAL (
        SELECT * FROM \(name(.changes)) WHERE list_id = $1 AND change = asked.value OFFSET 0
      ) AS found
      """, [Value(list), .integer(first), .integer(end)]
    ) { [self] found in
      let found = try SoundRow(found, of: .changes)
      texts[list.base | found.integer(1)] = Texts(found)
    }
    return Int(end - first)
  }

  private static let fewChanges: Int64 = 1024

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
  ///
  /// - Throws: `StoreError.corrupt` when the version after it is missing, whose row this may be.
  private func versions(ofChanges numbers: [Int64], in list: ListRecord) throws -> [Version] {
    guard !numbers.isEmpty else { return [] }
    var versions: [Int64: Version] = [:]
    try connection.query(
      """
      SELECT asked.change, found.version, EXISTS (
        SELECT 1 FROM \(name(.versions))
        WHERE list_id = $1 AND version = found.version + 1)::int::bigint
      FROM unnest($2::bigint[]) AS asked (change) CROSS JOIN LATERAL (
        SELECT version FROM \(name(.versions)) AS versions
        WHERE versions.list_id = $1 AND first_change <= asked.change
        ORDER BY version DESC LIMIT 1) AS found
      """, [Value(list.key), .integers(numbers)]
    ) { row in
      let (version, hasNext) = (Version(Int(row.integer(1))), row.integer(2) == 1)
      if hasNext || version == list.head { versions[row.integer(0)] = version }
    }
    return try numbers.map { number in
      guard let version = versions[number] else {
        throw StoreError.corrupt(reason: "the version of change \(number) is missing")
      }
      return version
    }
  }
}

extension PostgresReader {
  /// How many of an item's newest changes are searched for a content that returns. The limit keeps
  /// commits to an item with a long history fast.
  private static let searchedChangeCount = 16

  func willAsk(for contents: [(item: ItemKey, content: Content)], in list: ListKey) {
    if contents.isEmpty { return }
    for (item, content) in contents { expectedContents[item] = content }
    let (sql, values) = contentKeysQuery(of: contents, in: list)
    connection.ask(sql, values) { [self] row in
      let (item, content) = contents[Int(row.integer(0)) - 1]
      if expectedContents[item] == content { contentKeys[item] = contentKey(row, in: list) }
    }
  }

  func contentKeys(
    of contents: [(item: ItemKey, content: Content)], in list: ListKey
  ) throws -> [ContentKey?] {
    let missing = contents.indices.filter {
      expectedContents[contents[$0].item] != contents[$0].content
    }
    if contents.isEmpty { return [] }
    var found: [Int: ContentKey] = [:]
    if missing.isEmpty {
      // The question for the expected ones may not have been sent yet.
      try connection.flush()
    } else {
      let (sql, values) = contentKeysQuery(of: missing.map { contents[$0] }, in: list)
      try connection.query(sql, values, atMost: missing.count) { row in
        found[missing[Int(row.integer(0)) - 1]] = contentKey(row, in: list)
      }
    }
    let unexpected = Set(missing)
    return contents.enumerated().map { unexpected.contains($0) ? found[$0] : contentKeys[$1.item] }
  }

  /// Asks for each content, by its position from 1 on, for its key.
  private func contentKeysQuery(
    of contents: [(item: ItemKey, content: Content)], in list: ListKey
  ) -> (sql: String, values: [Value]) {
    (
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
    )
  }

  private func contentKey(_ row: ResultRow, in list: ListKey) -> ContentKey? {
    row.optionalInteger(1).map { ContentKey(list, sequence: $0) }
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
    (itemKeys[list], expectedContents, contentKeys) = (nil, [:], [:])
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
