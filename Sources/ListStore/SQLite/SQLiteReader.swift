import GRDB
import ListModel
import RawSQLite

/// The questions of ``ListReader`` and ``ListWriter`` as SQL, inside one transaction.
struct SQLiteReader: ListReader {
  let db: Database
  let rows = RowCounter()

  func lists() throws -> [ListRecord] {
    let statement = try RawStatement(self, "\(Self.listColumns) ORDER BY name")
    defer { statement.reset() }
    var lists: [ListRecord] = []
    while try statement.step() { lists.append(try Self.list(statement)) }
    return lists
  }

  func list(_ name: ListName) throws -> ListRecord? {
    let statement = try RawStatement(self, "\(Self.listColumns) WHERE name = ?")
    statement.bind(text: name.text.utf8, at: 1)
    defer { statement.reset() }
    return try statement.step() ? Self.list(statement) : nil
  }

  private static let listColumns = """
    SELECT list_id, name, head, oldest, id_rule, \(DigestedTable.lists.isSound) FROM lists
    """

  private static func list(_ statement: RawStatement) throws -> ListRecord {
    let (head, oldest) = (Int(statement.integer(2)), Int(statement.integer(3)))
    let numbers = 0...Int(ListKey.largestSequence)
    guard statement.integer(5) == 1 else { throw DigestedTable.lists.damage }
    guard let name = ListName(statement.text(1)), numbers.contains(head), numbers.contains(oldest)
    else {
      throw StoreError.corrupt(reason: "a row of lists breaks the rules of lists")
    }
    return ListRecord(
      key: ListKey(rawValue: statement.integer(0)), name: name, head: Version(head),
      oldest: Version(oldest), idRule: statement.optionalText(4))
  }

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
}

extension RawStatement {
  /// A statement of a reader, whose rows it counts.
  init(_ reader: SQLiteReader, _ sql: String) throws {
    try self.init(reader.db, sql, rows: reader.rows)
  }
}
