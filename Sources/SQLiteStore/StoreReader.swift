import GRDB
import ListModel
import ListStore
import RawSQLite

/// `ListReader` as SQL inside one transaction, grouped by table in `Tables`.
class StoreReader: ListReader {
  let db: Database
  let rowCounter = RowCounter()
  package var listsWithComparedIDs: Set<ListKey> = []
  let schema: Schema

  init(db: Database, schema: Schema) { (self.db, self.schema) = (db, schema) }

  /// Reads rows of a table, and compares the digest of each.
  ///
  /// - Parameters:
  ///   - columns: the columns that `read` finds, from 0 on.
  ///   - selection: what follows the table's name: condition and order.
  ///   - values: for the places in the selection.
  /// - Throws: `StoreError.corrupt` if a row is not as written; what `read` throws.
  func rows<Value>(
    of table: DigestedTable, _ columns: String, _ selection: String, _ values: RawValue...,
    read: (RawStatement) throws -> Value
  ) throws -> [Value] {
    let statement = try RawStatement(
      self, "SELECT \(columns), \(table.isSound) FROM \(table.rawValue) \(selection)")
    statement.bind(values)
    defer { statement.reset() }
    let soundColumn = statement.columnCount - 1
    var rows: [Value] = []
    while try statement.step() {
      guard statement.integer(soundColumn) == 1 else { throw table.damage }
      rows.append(try read(statement))
    }
    return rows
  }

  /// Looks rows up by keys, with one statement; nil where there is no row.
  func rows<Value>(
    of table: DigestedTable, _ columns: String, by key: String, _ keys: [RawValue],
    read: (RawStatement) throws -> Value
  ) throws -> [Value?] {
    let statement = try RawStatement(
      self, "SELECT \(columns), \(table.isSound) FROM \(table.rawValue) WHERE \(key) = ?")
    return try keys.map { key in
      statement.bind([key])
      defer { statement.reset() }
      guard try statement.step() else { return nil }
      guard statement.integer(statement.columnCount - 1) == 1 else { throw table.damage }
      return try read(statement)
    }
  }
}

extension RawStatement {
  /// A statement of a reader, whose rows the reader counts.
  init(_ reader: StoreReader, _ sql: String) throws {
    try self.init(reader.db, sql, rows: reader.rowCounter)
  }
}

extension RawValue {
  init(_ version: Version) { self.init(version.number) }
  init(_ time: Timestamp) { self = .integer(time.millisecondsSince1970) }
  init(_ list: ListKey) { self = .integer(list.rawValue) }
}
