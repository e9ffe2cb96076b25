import ListModel
import ListStore

/// A row of `versions`.
struct VersionRow {
  let record: VersionRecord
  let firstChange: Int64

  init(_ record: VersionRecord, firstChange: Int64) {
    (self.record, self.firstChange) = (record, firstChange)
  }

  init(_ row: SoundRow) throws {
    let (number, milliseconds) = (Int(row.integer(1)), row.integer(3))
    guard number >= 1, Timestamp.millisecondRange.contains(milliseconds),
      let checksum = Checksum(bytes: row.bytes(11)), let chain = Chain(bytes: row.bytes(12))
    else { throw Table.versions.brokenRules }
    record = VersionRecord(
      version: Version(number),
      note: CommitNote(
        time: Timestamp(millisecondsSince1970: milliseconds), author: row.optionalText(4),
        message: row.optionalText(5)),
      count: Int(row.integer(6)), changes: ChangeCounts(row, from: 7), checksum: checksum,
      chain: chain)
    firstChange = row.integer(2)
  }
}

extension PostgresReader {
  func versions(_ range: ClosedRange<Version>, of list: ListKey) throws -> [VersionRecord] {
    try rows(range, of: list).map(\.record)
  }

  /// Rows that are asked for again and again in a transaction are read once.
  private static let keptRowCount = 256

  /// The rows of versions, without those that do not exist.
  private func rows(_ range: ClosedRange<Version>, of list: ListKey) throws -> [VersionRow] {
    let first = range.lowerBound.number
    let last = min(range.upperBound.number, known[list]?.record.head.number ?? .max)
    guard first <= last else { return [] }
    let isShort = last - first < Self.keptRowCount
    if isShort {
      let kept = (first...last).compactMap { versionRows[list]?[$0] }
      if kept.count == last - first + 1 { return kept }
    }
    // A caller that reads one version then reads those up to the head.
    let margin = isShort ? (first == last ? Self.keptRowCount : 1) : 0
    let found = try rows(
      of: .versions, "WHERE list_id = $1 AND version BETWEEN $2 AND $3 ORDER BY version",
      Value(list), Value(first - min(margin, 1)), Value(last + margin), read: VersionRow.init)
    if isShort {
      for row in found { versionRows[list, default: [:]][row.record.version.number] = row }
    }
    return found.filter { (first...last).contains($0.record.version.number) }
  }

  /// Asks for the rows of versions together with the next question, to be kept.
  ///
  /// - Returns: false for more rows than are kept.
  func askRows(_ range: ClosedRange<Version>, of list: ListKey) throws -> Bool {
    let first = range.lowerBound.number
    let last = min(range.upperBound.number, try row(list).record.head.number)
    guard last - first < Self.keptRowCount else { return false }
    if first <= last, (first...last).contains(where: { versionRows[list]?[$0] == nil }) {
      connection.ask(
        """
        SELECT \(columns(of: .versions)) FROM \(name(.versions))
        WHERE list_id = $1 AND version BETWEEN $2 AND $3
        """, [Value(list), Value(first), Value(last)]
      ) { [self] found in
        let version = try VersionRow(SoundRow(found, of: .versions))
        versionRows[list, default: [:]][version.record.version.number] = version
      }
    }
    return true
  }

  func willRead(_ versions: ClosedRange<Version>) { expectedVersions = versions }

  /// Asks for the versions that are read next together with the next question, to be kept.
  ///
  /// - Parameter list: gives the list when its row has arrived.
  func askExpectedVersions(
    _ condition: String, _ value: Value, of list: @escaping () -> ListKey?
  ) {
    guard let first = expectedVersions?.lowerBound.number, let last = expectedVersions?.upperBound,
      first < Version.highest.number
    else { return }
    let end = min(last.number, first + Self.keptRowCount) + 1
    connection.ask(
      """
      SELECT \(columns(of: .versions)) FROM \(name(.versions))
      WHERE \(condition) AND version BETWEEN $2 AND $3
      """, [value, Value(first - 1), Value(end)]
    ) { [self] found in
      guard let list = list() else { return }
      let version = try VersionRow(SoundRow(found, of: .versions))
      versionRows[list, default: [:]][version.record.version.number] = version
    }
  }

  func heads(of lists: [ListRecord]) throws -> [VersionRecord?] {
    let found = try rows(
      of: .versions,
      """
      WHERE (list_id, version) IN (
        SELECT list_id, head FROM \(name(.lists)) WHERE list_id = ANY($1::bigint[]))
      """, .integers(lists.map(\.key.rawValue))
    ) { ($0.integer(0), try VersionRow($0).record) }
    let heads = Dictionary(uniqueKeysWithValues: found)
    return lists.map { heads[$0.key.rawValue] }
  }

  func newestVersion(of list: ListKey, notAfter time: Timestamp) throws -> VersionRecord? {
    try rows(
      of: .versions,
      "WHERE list_id = $1 AND committed_at <= $2 ORDER BY version DESC LIMIT 1",
      Value(list), Value(time), read: VersionRow.init
    ).first?.record
  }

  /// The rows of a version, by their numbers.
  struct RowRange {
    let version: Version
    let rows: Range<Int64>
    let itemCount: Int
    let counts: ChangeCounts
  }

  /// The ranges of rows of versions, and the number of items before the first.
  ///
  /// - Throws: `StoreError.corrupt` when a version is missing, or its rows are not behind those of
  ///   the one before.
  func rowRanges(
    _ range: ClosedRange<Version>, of list: ListKey
  ) throws -> (oldCount: Int, ranges: [RowRange]) {
    let (first, last) = (range.lowerBound.number, range.upperBound.number)
    return try rowRanges(
      range, of: list, from: rows(Version(max(1, first - 1))...Version(last + 1), of: list))
  }

  /// The same from kept rows, without a question.
  func keptRowRanges(
    _ range: ClosedRange<Version>, of list: ListKey
  ) throws -> (oldCount: Int, ranges: [RowRange]) {
    let numbers = max(1, range.lowerBound.number - 1)...range.upperBound.number + 1
    return try rowRanges(
      range, of: list, from: numbers.compactMap { versionRows[list]?[$0] })
  }

  private func rowRanges(
    _ range: ClosedRange<Version>, of list: ListKey, from rows: [VersionRow]
  ) throws -> (oldCount: Int, ranges: [RowRange]) {
    let (first, last) = (range.lowerBound.number, range.upperBound.number)
    var starts = rows.map { row in
      (
        version: row.record.version.number, firstChange: row.firstChange,
        itemCount: row.record.count, counts: row.record.changes
      )
    }
    if starts.last?.version == last, case let row = try row(list), row.record.head.number == last {
      // Behind the head comes the next change.
      let none = ChangeCounts(removed: 0, moved: 0, inserted: 0, updated: 0)
      starts.append((last + 1, row.nextChange, 0, none))
    }
    var oldCount = first == 1 ? 0 : nil as Int?
    if let before = starts.first, before.version == first - 1 {
      oldCount = before.itemCount
      starts.removeFirst()
    }
    guard let oldCount, starts.map(\.version).elementsEqual(first...last + 1) else {
      throw StoreError.corrupt(reason: "versions are missing between \(range)")
    }
    let ranges = try zip(starts, starts.dropFirst()).map { version, next in
      guard version.firstChange <= next.firstChange else {
        throw StoreError.corrupt(reason: "version \(version.version) has no row of its own")
      }
      return RowRange(
        version: Version(version.version), rows: version.firstChange..<next.firstChange,
        itemCount: version.itemCount, counts: version.counts)
    }
    return (oldCount, ranges)
  }

  func changeCount(_ range: ClosedRange<Version>, of list: ListKey) throws -> Int {
    let numbers = [range.lowerBound, range.upperBound.next].map(\.number)
    let row = try row(list)
    let missing = numbers.filter {
      versionRows[list]?[$0] == nil && $0 != row.record.head.number + 1
    }
    if !missing.isEmpty {
      let found = try rows(
        of: .versions, in: list, where: "version = asked.value",
        anyOf: .integers(missing.map { Int64($0) }), read: VersionRow.init)
      for row in found { versionRows[list, default: [:]][row.record.version.number] = row }
    }
    let starts = try numbers.map { number in
      if let row = versionRows[list]?[number] { return row.firstChange }
      guard number == row.record.head.number + 1 else {
        throw StoreError.corrupt(reason: "version \(number) is missing")
      }
      return row.nextChange
    }
    guard starts[0] <= starts[1] else {
      throw StoreError.corrupt(reason: "version \(range.upperBound) has no row of its own")
    }
    return Int(starts[1] - starts[0])
  }

  func itemCount(at version: Version, of list: ListKey) throws -> Int {
    if version == .zero { return 0 }
    let record = try versions(version...version, of: list).first
    guard let record else { throw StoreError.corrupt(reason: "version \(version) is missing") }
    return record.count
  }
}

extension PostgresWriter {
  func insert(_ record: VersionRecord, into list: ListKey, firstChange: Int64) {
    versionRows[list, default: [:]][record.version.number] = VersionRow(
      record, firstChange: firstChange)
    let (note, changes) = (record.note, record.changes)
    insert(
      into: .versions, Value(list), Value(record.version), .integer(firstChange), Value(note.time),
      Value(note.author), Value(note.message), Value(record.count), Value(changes.removed),
      Value(changes.moved), Value(changes.inserted), Value(changes.updated),
      .bytes(record.checksum.bytes), .bytes(record.chain.bytes))
  }
}

extension ChangeCounts {
  /// Reads four columns.
  init(_ row: SoundRow, from column: Int) {
    self.init(
      removed: Int(row.integer(column)), moved: Int(row.integer(column + 1)),
      inserted: Int(row.integer(column + 2)), updated: Int(row.integer(column + 3)))
  }
}
