import ListModel
import ListStore
import RawSQLite

extension StoreReader {
  func versions(_ range: ClosedRange<Version>, of list: ListKey) throws -> [VersionRecord] {
    // A larger number would reach into the key's high bits, and so into another list.
    let last = min(range.upperBound, Version(Int(ListKey.largestSequence)))
    guard range.lowerBound <= last else { return [] }
    return try rows(
      of: .versions, Self.versionColumns, "WHERE version_id BETWEEN ? AND ? ORDER BY version_id",
      list.key(of: range.lowerBound), list.key(of: last), read: Self.version)
  }

  func heads(of lists: [ListRecord]) throws -> [VersionRecord?] {
    try rows(
      of: .versions, Self.versionColumns, by: "version_id", lists.map { $0.key.key(of: $0.head) },
      read: Self.version)
  }

  func newestVersion(of list: ListKey, notAfter time: Timestamp) throws -> VersionRecord? {
    try rows(
      of: .versions, Self.versionColumns,
      "WHERE version_id BETWEEN ? AND ? AND committed_at <= ? ORDER BY version_id DESC LIMIT 1",
      .integer(list.base), .integer(list.last), RawValue(time), read: Self.version
    ).first
  }

  private static let versionColumns = """
    version, committed_at, author, message, item_count, removed, moved, inserted, updated,
    checksum, chain
    """

  private static func version(_ row: RawStatement) throws -> VersionRecord {
    let (number, milliseconds) = (Int(row.integer(0)), row.integer(1))
    guard number >= 1, Timestamp.millisecondRange.contains(milliseconds),
      let checksum = Checksum(bytes: row.bytes(9)), let chain = Chain(bytes: row.bytes(10))
    else { throw DigestedTable.versions.brokenRules }
    return VersionRecord(
      version: Version(number),
      note: CommitNote(
        time: Timestamp(millisecondsSince1970: milliseconds), author: row.optionalText(2),
        message: row.optionalText(3)),
      count: Int(row.integer(4)), changes: ChangeCounts(row, from: 5), checksum: checksum,
      chain: chain)
  }

  /// The sequence of a version's first row; for the version after the head, of the next row.
  func firstRow(of version: Version, in list: ListKey) throws -> Int64 {
    let statement = try RawStatement(self, Self.firstRow)
    statement.bind([list.key(of: version), RawValue(list), RawValue(version)])
    defer { statement.reset() }
    guard try statement.step() else { throw Self.isMissing(version) }
    guard statement.integer(1) == 1 else {
      throw (statement.integer(2) == 0 ? DigestedTable.versions : .lists).damage
    }
    return statement.integer(0)
  }

  private static let firstRow = """
    SELECT first_change, \(DigestedTable.versions.isSound), 0 FROM versions WHERE version_id = ?1
    UNION ALL
    SELECT next_change, \(DigestedTable.lists.isSound), 1 FROM lists
    WHERE list_id = ?2 AND head + 1 = ?3
    LIMIT 1
    """

  func itemCount(at version: Version, of list: ListKey) throws -> Int {
    if version == .zero { return 0 }
    let count = try rows(
      of: .versions, "item_count", "WHERE version_id = ?", list.key(of: version)
    ) { Int($0.integer(0)) }.first
    guard let count else { throw Self.isMissing(version) }
    return count
  }

  private static func isMissing(_ version: Version) -> StoreError {
    .corrupt(reason: "version \(version) is missing")
  }
}

extension StoreWriter {
  func insert(_ record: VersionRecord, into list: ListKey, firstChange: Int64) throws {
    let (note, changes) = (record.note, record.changes)
    try insert(
      into: .versions, list.key(of: record.version), .integer(firstChange), RawValue(note.time),
      RawValue(note.author), RawValue(note.message), RawValue(record.count),
      RawValue(changes.removed), RawValue(changes.moved), RawValue(changes.inserted),
      RawValue(changes.updated), .blob(record.checksum.bytes), .blob(record.chain.bytes))
  }
}

extension ListKey {
  /// The key of the row of a version.
  func key(of version: Version) -> RawValue { .integer(base | Int64(version.number)) }
}

extension ChangeCounts {
  /// Reads four columns.
  init(_ row: RawStatement, from column: Int32) {
    self.init(
      removed: Int(row.integer(column)), moved: Int(row.integer(column + 1)),
      inserted: Int(row.integer(column + 2)), updated: Int(row.integer(column + 3)))
  }
}
