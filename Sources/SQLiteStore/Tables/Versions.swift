import ListModel
import ListStore
import RawSQLite

extension StoreReader {
  func versions(_ range: ClosedRange<Version>, of list: ListKey) throws -> [VersionRecord] {
    // A number that is too large would reach into the key's high bits, and so into another list.
    let last = min(range.upperBound, Version(Int(ListKey.largestSequence)))
    guard range.lowerBound <= last else { return [] }
    let statement = try RawStatement(
      self, "\(Self.versionColumns) WHERE version_id BETWEEN ? AND ? ORDER BY version_id")
    statement.bind(list.base | Int64(range.lowerBound.number), at: 1)
    statement.bind(list.base | Int64(last.number), at: 2)
    defer { statement.reset() }
    var versions: [VersionRecord] = []
    while try statement.step() { versions.append(try Self.version(statement)) }
    return versions
  }

  func newestVersion(of list: ListKey, notAfter time: Timestamp) throws -> VersionRecord? {
    let statement = try RawStatement(
      self,
      """
      \(Self.versionColumns) WHERE version_id BETWEEN ? AND ? AND committed_at <= ?
      ORDER BY version_id DESC LIMIT 1
      """)
    statement.bind(list.base, at: 1)
    statement.bind(list.base | ListKey.largestSequence, at: 2)
    statement.bind(time.millisecondsSince1970, at: 3)
    defer { statement.reset() }
    return try statement.step() ? Self.version(statement) : nil
  }

  private static let versionColumns = """
    SELECT version, committed_at, author, message, item_count, removed, moved, inserted, updated,
      checksum, chain, \(DigestedTable.versions.isSound) FROM versions
    """

  private static func version(_ statement: RawStatement) throws -> VersionRecord {
    let (number, count) = (Int(statement.integer(0)), Int(statement.integer(4)))
    let milliseconds = statement.integer(1)
    guard statement.integer(11) == 1 else { throw DigestedTable.versions.damage }
    guard number >= 1, Timestamp.millisecondRange.contains(milliseconds),
      let checksum = Checksum(bytes: statement.bytes(9)),
      let chain = Chain(bytes: statement.bytes(10))
    else { throw StoreError.corrupt(reason: "a row of versions breaks the rules of versions") }
    return VersionRecord(
      version: Version(number),
      note: CommitNote(
        time: Timestamp(millisecondsSince1970: milliseconds),
        author: statement.optionalText(2), message: statement.optionalText(3)),
      count: count,
      changes: ChangeCounts(
        removed: Int(statement.integer(5)), moved: Int(statement.integer(6)),
        inserted: Int(statement.integer(7)), updated: Int(statement.integer(8))),
      checksum: checksum, chain: chain)
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

  func itemCount(before version: Version, of list: ListKey) throws -> Int {
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
}

extension StoreWriter {
  func insert(
    _ record: VersionRecord, into list: ListKey, firstChange: Int64
  ) throws {
    try RawStatement(self, Self.versionInsertion).run(
      .integer(list.base | Int64(record.version.number)), .integer(firstChange),
      .integer(record.note.time.millisecondsSince1970), RawValue(record.note.author),
      RawValue(record.note.message), RawValue(record.count), RawValue(record.changes.removed),
      RawValue(record.changes.moved), RawValue(record.changes.inserted),
      RawValue(record.changes.updated), .blob(record.checksum.bytes), .blob(record.chain.bytes))
  }

  private static let versionInsertion = DigestedTable.versions.insertion()
}
