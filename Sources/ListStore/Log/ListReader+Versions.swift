import ListModel

/// A row of `versions`.
struct VersionRow {
  let version: Version
  let note: CommitNote
  let count: Int
  let changes: ChangeCounts
  let root: Root
  let chain: Chain
  let firstChange: Int64

  init(_ row: LogRow) throws {
    let (number, milliseconds) = (Int(row.integer(1)), row.integer(3))
    guard number >= 1, let root = Root(bytes: row.bytes(11)),
      let chain = Chain(bytes: row.bytes(12))
    else { throw LogTable.versions.brokenRules }
    version = Version(number)
    note = CommitNote(
      time: Timestamp(millisecondsSince1970: milliseconds), author: row.optionalText(4),
      message: row.optionalText(5))
    count = Int(row.integer(6))
    changes = ChangeCounts(
      removed: Int(row.integer(7)), moved: Int(row.integer(8)), inserted: Int(row.integer(9)),
      updated: Int(row.integer(10)))
    (self.root, self.chain, firstChange) = (root, chain, row.integer(2))
  }

  /// Returns the record of the version; nil if the chain does not follow from the header.
  func record(after previous: Chain) -> VersionRecord? {
    let header = VersionHeader(version: version, note: note, root: root, previous: previous)
    return header.chain == chain ? VersionRecord(header, count: count, changes: changes) : nil
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
  /// Returns the existing versions of a range, ascending.
  ///
  /// - Throws: `StoreError.corrupt` if a chain does not follow from the one before.
  public func versions(_ range: ClosedRange<Version>, of list: ListKey) throws -> [VersionRecord] {
    let first = max(range.lowerBound, Version(1))
    guard first <= range.upperBound else { return [] }
    let oldest = try row(of: list).oldest
    let before = first > oldest ? Version(first.number - 1) : first
    return try records(versionRows(before...range.upperBound, of: list), of: list, from: first)
  }

  /// Returns whether a version has a row.
  public func hasVersion(_ version: Version, of list: ListKey) throws -> Bool {
    try rows(of: .versions, [RowKey(list, version)]) { _ in true }[0] != nil
  }

  private func versionRows(
    _ range: ClosedRange<Version>, of list: ListKey
  ) throws -> [VersionRow] {
    // SQLite's keys have no room for a larger number.
    let last = min(Int64(range.upperBound.number), ListKey.largestSequence)
    let first = Int64(range.lowerBound.number)
    return first <= last ? try versionRows(first...last, of: list) : []
  }

  /// - Parameter numbers: the numbers of the versions.
  func versionRows(_ numbers: ClosedRange<Int64>, of list: ListKey) throws -> [VersionRow] {
    func read(_ first: Int64, _ last: Int64) throws -> [VersionRow] {
      try rows(RowRange(of: .versions, in: list, from: first, through: last), read: VersionRow.init)
    }
    // Also of rows that were read before: a caller may read them again and again.
    try spend(1)
    let opened = opened(list)
    guard numbers.count <= Self.keptRowCount else {
      return try read(numbers.lowerBound, numbers.upperBound)
    }
    if opened.versions.count > Self.keptRowCount { opened.versions = [:] }
    if let first = numbers.first(where: { opened.versions[$0] == nil }),
      let last = numbers.last(where: { opened.versions[$0] == nil })
    {
      let found = try read(first, last)
      for number in first...last { opened.versions.updateValue(nil, forKey: number) }
      for row in found { opened.versions[Int64(row.version.number)] = row }
    }
    return numbers.compactMap { opened.versions[$0] ?? nil }
  }

  /// The largest number of versions whose rows are kept together.
  private static let keptRowCount = 4096

  /// Returns the records of some rows of versions, from the version `first` on.
  ///
  /// - Parameters:
  ///   - rows: the rows, ascending. They begin with the row before the first version, or with the
  ///     oldest row.
  ///   - list: their list.
  ///   - first: the first version that is returned.
  /// - Throws: `StoreError.corrupt` if a version is missing, or a chain does not follow from the
  ///   one before.
  func records(
    _ rows: [VersionRow], of list: ListKey, from first: Version
  ) throws -> [VersionRecord] {
    let listRow = try row(of: list)
    let place = listRow.name.map { " of \($0)" } ?? ""
    var before = listRow.stateBefore
    var records: [VersionRecord] = []
    for row in rows {
      if row.version >= first {
        guard row.version == before.version.next else {
          throw StoreError.corrupt(
            reason: "the version before version \(row.version)\(place) is missing")
        }
        guard let record = row.record(after: before.chain) else {
          throw StoreError.corrupt(
            reason: "the chain of version \(row.version)\(place) does not fit")
        }
        records.append(record)
      }
      before = (row.version, row.chain)
    }
    return records
  }

  /// Returns the heads of lists, in the order of the lists; nil for a list at version 0.
  public func heads(of lists: [ListRecord]) throws -> [VersionRecord?] {
    let keys = lists.flatMap { list in
      [max(list.head.number - 1, 0), list.head.number].map { RowKey(list.key, Version($0)) }
    }
    let rows = try rows(of: .versions, keys, read: VersionRow.init)
    return try lists.enumerated().map { position, list in
      let found = rows[2 * position...2 * position + 1].compactMap(\.self)
      let record = try records(found, of: list.key, from: max(list.head, Version(1))).last
      guard record != nil || list.head == .zero else {
        throw StoreError.corrupt(reason: "version \(list.head) of \(list.name) is missing")
      }
      return record
    }
  }

  /// Returns the newest version that was committed at a time or earlier; nil if there is none.
  public func newestVersion(of list: ListKey, notAfter time: Timestamp) throws -> VersionRecord? {
    var range = RowRange(of: .versions, in: list).descending(limit: Self.searchedVersionCount)
    while true {
      let versions = try rows(range, read: VersionRow.init)
      if let found = versions.first(where: { $0.note.time <= time }) {
        return try self.versions(found.version...found.version, of: list).first
      }
      guard versions.count == range.limit, let last = versions.last else { return nil }
      range.through = LogValue(last.version.number - 1)
    }
  }

  /// The number of versions that are read at once.
  private static let searchedVersionCount = 64

  /// Returns the row of a version, which must exist.
  private func versionRow(_ version: Version, of list: ListKey) throws -> VersionRow {
    guard let row = try versionRows(version...version, of: list).first
    else { throw StoreError.corrupt(reason: "version \(version) is missing") }
    return row
  }

  /// Returns the number of the first change of a version. For the version after the head, this
  /// is the number of the next new change.
  func firstChange(of version: Version, in list: ListKey) throws -> Int64 {
    let row = try row(of: list)
    if version == row.head.next { return row.nextChange }
    let checkpoint = opened(list).newestCheckpoint?.first { $0.version.next == version }
    let first = try checkpoint?.nextChange ?? versionRow(version, of: list).firstChange
    guard first <= row.nextChange else {
      throw StoreError.corrupt(reason: "version \(version) has changes that the list does not have")
    }
    return first
  }

  func itemCount(at version: Version, of list: ListKey) throws -> Int {
    version == .zero ? 0 : try versionRow(version, of: list).count
  }

  /// Returns the number of changes of some versions.
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

  /// Returns the ranges of changes of some versions, and the item count before the first of
  /// them.
  ///
  /// - Throws: `StoreError.corrupt` when a version is missing, or its rows do not follow those of
  ///   the version before.
  func versionRanges(
    _ range: ClosedRange<Version>, of list: ListKey
  ) throws -> (oldCount: Int, versions: [VersionRange]) {
    let (first, last) = (range.lowerBound.number, range.upperBound.number)
    var rows = try versionRows(Version(max(1, first - 1))...range.upperBound.next, of: list)
    let listRow = try row(of: list)
    var end = listRow.head.number == last ? listRow.nextChange : nil
    if let behind = rows.last, behind.version.number == last + 1 {
      end = behind.firstChange
      rows.removeLast()
    }
    var oldCount = first == 1 ? 0 : nil as Int?
    if let before = rows.first, before.version.number == first - 1 {
      oldCount = before.count
      rows.removeFirst()
    }
    guard let end, let oldCount, rows.map(\.version.number).elementsEqual(first...last)
    else { throw StoreError.corrupt(reason: "versions are missing between \(range)") }
    let ends = rows.dropFirst().map(\.firstChange) + [end]
    let ranges = try zip(rows, ends).map { row, end in
      guard row.firstChange <= end else {
        throw StoreError.corrupt(reason: "version \(row.version) has no row of its own")
      }
      return VersionRange(
        version: row.version, changes: row.firstChange..<end, itemCount: row.count,
        counts: row.changes)
    }
    return (oldCount, ranges)
  }
}

/// The range of changes of a version.
struct VersionRange {
  let version: Version
  let changes: Range<Int64>
  let itemCount: Int
  let counts: ChangeCounts
}
