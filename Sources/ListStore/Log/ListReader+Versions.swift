import ListModel

/// A row of `versions`.
struct VersionRow {
  let record: VersionRecord
  let firstChange: Int64

  init(_ row: LogRow) throws {
    let (number, milliseconds) = (Int(row.integer(1)), row.integer(3))
    guard number >= 1, Timestamp.millisecondRange.contains(milliseconds),
      (0...ListKey.largestSequence).contains(row.integer(2)),
      let root = Root(bytes: row.bytes(11)), let chain = Chain(bytes: row.bytes(12))
    else { throw LogTable.versions.brokenRules }
    record = VersionRecord(
      version: Version(number),
      note: CommitNote(
        time: Timestamp(millisecondsSince1970: milliseconds), author: row.optionalText(4),
        message: row.optionalText(5)),
      count: Int(row.integer(6)),
      changes: ChangeCounts(
        removed: Int(row.integer(7)), moved: Int(row.integer(8)), inserted: Int(row.integer(9)),
        updated: Int(row.integer(10))),
      root: root, chain: chain)
    firstChange = row.integer(2)
  }
}

extension VersionRecord {
  func values(of list: ListKey, firstChange: Int64) -> [LogValue] {
    [
      LogValue(list), LogValue(version), .integer(firstChange), LogValue(note.time),
      LogValue(note.author), LogValue(note.message), LogValue(count), LogValue(changes.removed),
      LogValue(changes.moved), LogValue(changes.inserted), LogValue(changes.updated),
      .bytes(root.bytes), .bytes(chain.bytes),
    ]
  }
}

extension ListReader {
  /// Versions in ascending order, without those that do not exist.
  public func versions(_ range: ClosedRange<Version>, of list: ListKey) throws -> [VersionRecord] {
    try versionRows(range, of: list).map(\.record)
  }

  private func versionRows(
    _ range: ClosedRange<Version>, of list: ListKey
  ) throws -> [VersionRow] {
    // A larger number has no place in a key of SQLite's.
    let last = min(Int64(range.upperBound.number), ListKey.largestSequence)
    let first = Int64(range.lowerBound.number)
    guard first <= last else { return [] }
    return try rows(
      RowRange(of: .versions, in: list, from: first, through: last), read: VersionRow.init)
  }

  /// The heads of lists, in the order of the lists; nil at version 0.
  public func heads(of lists: [ListRecord]) throws -> [VersionRecord?] {
    try rows(of: .versions, lists.map { RowKey($0.key, $0.head) }) { try VersionRow($0).record }
  }

  /// The newest version that was committed at a time or before; nil if there is none.
  public func newestVersion(of list: ListKey, notAfter time: Timestamp) throws -> VersionRecord? {
    var range = RowRange(of: .versions, in: list).descending(limit: Self.searchedVersionCount)
    while true {
      let versions = try rows(range) { try VersionRow($0).record }
      if let found = versions.first(where: { $0.note.time <= time }) { return found }
      guard versions.count == range.limit, let last = versions.last else { return nil }
      range.through = LogValue(last.version.number - 1)
    }
  }

  /// How many versions are read at once.
  private static let searchedVersionCount = 64

  /// The row of a version.
  private func versionRow(_ version: Version, of list: ListKey) throws -> VersionRow {
    guard let row = try rows(of: .versions, [RowKey(list, version)], read: VersionRow.init)[0]
    else { throw StoreError.corrupt(reason: "version \(version) is missing") }
    return row
  }

  /// The number of the first change row of a version. Behind the head, that of the row to come.
  func firstChange(of version: Version, in list: ListKey) throws -> Int64 {
    let row = try row(of: list)
    if version == row.head.next { return row.nextChange }
    if let known = firstChanges[list]?[version] { return known }
    return try versionRow(version, of: list).firstChange
  }

  func itemCount(at version: Version, of list: ListKey) throws -> Int {
    version == .zero ? 0 : try versionRow(version, of: list).record.count
  }

  /// The number of change rows of versions.
  ///
  /// - Complexity: O(1) rows read.
  public func changeCount(_ range: ClosedRange<Version>, of list: ListKey) throws -> Int {
    let first = try firstChange(of: range.lowerBound, in: list)
    let end = try firstChange(of: range.upperBound.next, in: list)
    guard first <= end else {
      throw StoreError.corrupt(reason: "version \(range.upperBound) has no row of its own")
    }
    return Int(end - first)
  }

  /// The change rows of versions, and the number of items before the first.
  ///
  /// - Throws: `StoreError.corrupt` when a version is missing, or its rows are not behind those of
  ///   the one before.
  func versionRanges(
    _ range: ClosedRange<Version>, of list: ListKey
  ) throws -> (oldCount: Int, versions: [VersionRange]) {
    let (first, last) = (range.lowerBound.number, range.upperBound.number)
    var rows = try versionRows(Version(max(1, first - 1))...range.upperBound.next, of: list)
    let listRow = try row(of: list)
    var end = listRow.head.number == last ? listRow.nextChange : nil
    if let behind = rows.last, behind.record.version.number == last + 1 {
      end = behind.firstChange
      rows.removeLast()
    }
    var oldCount = first == 1 ? 0 : nil as Int?
    if let before = rows.first?.record, before.version.number == first - 1 {
      oldCount = before.count
      rows.removeFirst()
    }
    guard let end, let oldCount, rows.map(\.record.version.number).elementsEqual(first...last)
    else { throw StoreError.corrupt(reason: "versions are missing between \(range)") }
    let ends = rows.dropFirst().map(\.firstChange) + [end]
    let ranges = try zip(rows, ends).map { row, end in
      guard row.firstChange <= end else {
        throw StoreError.corrupt(reason: "version \(row.record.version) has no row of its own")
      }
      return VersionRange(
        version: row.record.version, changes: row.firstChange..<end, itemCount: row.record.count,
        counts: row.record.changes)
    }
    return (oldCount, ranges)
  }
}

/// The change rows of a version.
struct VersionRange {
  let version: Version
  let changes: Range<Int64>
  let itemCount: Int
  let counts: ChangeCounts
}
