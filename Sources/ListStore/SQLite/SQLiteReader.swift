import Foundation
import GRDB
import ListChanges
import ListModel

/// The questions of ``ListReader`` and ``ListWriter`` as SQL, inside one transaction.
struct SQLiteReader: ListReader {
  let db: Database
  let rows = RowCounter()

  func lists() throws -> [ListRecord] {
    try Row.fetchAll(db, sql: "\(Self.listColumns) ORDER BY name").map(Self.list)
  }

  func list(_ name: ListName) throws -> ListRecord? {
    try Row.fetchOne(db, sql: "\(Self.listColumns) WHERE name = ?", arguments: [name.text])
      .map(Self.list)
  }

  private static let listColumns = "SELECT list_id, name, head, oldest, id_rule FROM lists"

  private static func list(_ row: Row) throws -> ListRecord {
    let (head, oldest): (Int, Int) = (row["head"], row["oldest"])
    guard let name = ListName(row["name"]), head >= 0, oldest >= 0 else {
      throw StoreError.corrupt(reason: "a row of lists breaks the rules of lists")
    }
    return ListRecord(
      key: ListKey(rawValue: row["list_id"]), name: name, head: Version(head),
      oldest: Version(oldest), idRule: row["id_rule"])
  }

  func versions(_ range: ClosedRange<Version>, of list: ListKey) throws -> [VersionRecord] {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT * FROM versions WHERE version_id BETWEEN ? AND ? ORDER BY version_id
        """,
      arguments: [
        list.base | Int64(range.lowerBound.number), list.base | Int64(range.upperBound.number),
      ])
    return try Array(rows.map(Self.version))
  }

  func newestVersion(of list: ListKey, notAfter time: Timestamp) throws -> VersionRecord? {
    try Row.fetchOne(
      db,
      sql: """
        SELECT * FROM versions WHERE version_id BETWEEN ? AND ? AND committed_at <= ?
        ORDER BY version_id DESC LIMIT 1
        """,
      arguments: [
        list.base, list.base | ListKey.largestSequence, time.millisecondsSince1970,
      ]
    ).map(Self.version)
  }

  private static func version(_ row: Row) throws -> VersionRecord {
    let (number, count): (Int, Int) = (row["version"], row["item_count"])
    let (checksum, chain): ([UInt8], [UInt8]) = (bytes(row["checksum"]), bytes(row["chain"]))
    guard number >= 1, let checksum = Checksum(bytes: checksum), let chain = Chain(bytes: chain)
    else { throw StoreError.corrupt(reason: "a row of versions breaks the rules of versions") }
    return VersionRecord(
      version: Version(number),
      note: CommitNote(
        time: Timestamp(millisecondsSince1970: row["committed_at"]), author: row["author"],
        message: row["message"]),
      count: count,
      changes: ChangeCounts(
        removed: row["removed"], moved: row["moved"], inserted: row["inserted"],
        updated: row["updated"]),
      checksum: checksum, chain: chain)
  }

  private static func bytes(_ data: Data?) -> [UInt8] { data.map(Array.init) ?? [] }

  func key(of id: ItemID, in list: ListKey) throws -> ItemKey? {
    let statement = try RawStatement(
      self, "SELECT change_id FROM changes WHERE list_id = ? AND id = ?")
    statement.bind(list.rawValue, at: 1)
    statement.bind(text: id.text.utf8, at: 2)
    defer { statement.reset() }
    return try statement.step() ? ItemKey(rawValue: statement.integer(0)) : nil
  }

  func importPosition(of source: String, in list: ListKey) throws -> String? {
    try String.fetchOne(
      db, sql: "SELECT position FROM imports WHERE list_id = ? AND source = ?",
      arguments: [list.rawValue, source])
  }

  func integrityProblems() throws -> [String] {
    let lines = try String.fetchAll(db, sql: "PRAGMA integrity_check")
    return lines == ["ok"] ? [] : lines
  }
}
