import ListModel
import ListStore

/// `ListReader` as SQL inside one transaction, grouped by table in `Tables`.
class PostgresReader: ListReader {
  let connection: Connection
  /// The name of the schema, quoted.
  let schema: String
  /// The rows of lists that were read, as this transaction leaves them.
  var known: [ListKey: ListRow] = [:]
  /// The rows of versions that were read, or are stored by this transaction.
  var versionRows: [ListKey: [Int: VersionRow]] = [:]

  /// The versions of lists with checkpoints, as this transaction found them.
  var checkpointVersions: [ListKey: [Version]] = [:]
  /// The rows of parts of the head, which a writer reads with the row of the list.
  var headParts: [ListKey: [HeadOrder.Part]] = [:]
  /// The items of these parts by their ranks, where they were read with them.
  var headItems: [ListKey: [Int64: [StoredItem]]] = [:]
  /// The items of ids that were looked up; nil for an id that no item has.
  var itemKeys: [ListKey: [ItemID: ItemKey?]] = [:]
  /// The parts of tables of ids that were read.
  var idParts: [ListKey: KnownIDParts] = [:]
  package var listsWithComparedIDs: Set<ListKey> = []
  /// The hashes of ids that are looked up in the list that is read next, in ascending order.
  var expectedHashes: [UInt64] = []
  /// The versions that are read of the list that is read next; nil if that is not known.
  var expectedVersions: ClosedRange<Version>?
  /// Contents that items may get, and their keys, as far as the items had them.
  var expectedContents: [ItemKey: Content] = [:]
  var contentKeys: [ItemKey: ContentKey] = [:]
  /// The texts of rows that were read, by the number of the row with its list.
  var texts: [Int64: Texts] = [:]
  /// Rows whose texts the next question for texts reads, too.
  var wantedTexts: Set<Int64> = []

  init(_ connection: Connection, schema: String) {
    (self.connection, self.schema) = (connection, schema)
  }

  /// Of how many transactions of each row of `marks` the changed lists stay on record.
  static let recordedCount: Int64 = 64

  func name(_ table: Table) -> String { "\(schema).\(table.rawValue)" }

  /// Reads rows of a table, and compares the digest of each.
  ///
  /// - Parameters:
  ///   - selection: what follows the table's name: condition and order.
  ///   - rowCount: how many rows there can be; nil if that is not known.
  ///   - read: gets the columns of ``Table/columns``; must not ask another question.
  /// - Throws: `StoreError.corrupt` if a row is not as written; what `read` throws.
  func rows<Row>(
    of table: Table, _ selection: String, _ values: Value..., atMost rowCount: Int? = nil,
    read: (SoundRow) throws -> Row
  ) throws -> [Row] {
    try rows(of: table, selection, values, atMost: rowCount, read: read)
  }

  func rows<Row>(
    of table: Table, _ selection: String, _ values: [Value], atMost rowCount: Int? = nil,
    read: (SoundRow) throws -> Row
  ) throws -> [Row] {
    var rows: [Row] = []
    try connection.query(
      "SELECT \(columns(of: table)) FROM \(name(table)) \(selection)", values, atMost: rowCount
    ) { row in
      rows.append(try read(SoundRow(row, of: table)))
    }
    return rows
  }

  /// Reads rows of a list, each one by its key. Without `OFFSET 0`, a planner that has no
  /// statistics of a list that was just committed would read all rows of the list instead.
  ///
  /// - Parameters:
  ///   - condition: on a row and on `asked.value`, a value of the array.
  func rows<Row>(
    of table: Table, in list: ListKey, where condition: String, anyOf values: Value,
    read: (SoundRow) throws -> Row
  ) throws -> [Row] {
    let type = if case .byteArrays = values { "bytea" } else { "bigint" }
    var rows: [Row] = []
    try connection.query(
      """
      SELECT \(columns(of: table)) FROM unnest($2::\(type)[]) AS asked (value)
      CROSS JOIN LATERAL (
        SELECT * FROM \(name(table)) WHERE list_id = $1 AND \(condition) OFFSET 0) AS found
      """, [Value(list), values]
    ) { row in
      rows.append(try read(SoundRow(row, of: table)))
    }
    return rows
  }

  /// Reads rows of changes by their numbers, and perhaps rows between them: numbers that are next
  /// to each other are read as a range.
  ///
  /// - Complexity: O(n log n) for n numbers.
  func changes(
    _ numbers: some Sequence<Int64>, of list: ListKey, read: (SoundRow) throws -> Void
  ) throws {
    var (starts, ends): ([Int64], [Int64]) = ([], [])
    for number in numbers.sorted() {
      if let last = ends.last, number - last <= Self.widestStep {
        ends[ends.count - 1] = number
      } else {
        starts.append(number)
        ends.append(number)
      }
    }
    try connection.query(
      """
      SELECT \(columns(of: .changes)) FROM unnest($2::bigint[], $3::bigint[]) AS asked (first, last)
      CROSS JOIN LATERAL (
        SELECT * FROM \(name(.changes))
        WHERE list_id = $1 AND change BETWEEN asked.first AND asked.last OFFSET 0) AS found
      """, [Value(list), .integers(starts), .integers(ends)],
      atMost: zip(starts, ends).reduce(0) { $0 + Int($1.1 - $1.0) + 1 }
    ) { try read(SoundRow($0, of: .changes)) }
  }

  /// The distance of two numbers up to which a row between them costs less than another search.
  private static let widestStep: Int64 = 2

  /// The columns of a row; the data of a part, which is read apart, as nothing.
  func columns(of table: Table) -> String {
    guard table == .headParts else { return table.columnNames }
    return table.columnNames.replacing(" data,", with: " NULL::bytea,")
  }

  /// How many transactions have written to the store. See ``PostgresWriter/markState()``.
  func commitCount() throws -> Int64 {
    try number("SELECT coalesce(sum(number), 0)::bigint FROM \(schema).marks") ?? 0
  }

  /// The number that a query gives; nil without a row.
  func number(_ sql: String, _ values: Value...) throws -> Int64? {
    var number: Int64?
    try connection.query(sql, values) { number = $0.optionalInteger(0) }
    return number
  }
}
