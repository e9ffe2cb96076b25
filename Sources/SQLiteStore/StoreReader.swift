import GRDB
import ListStore
import RawSQLite

/// The questions of `ListReader` as SQL, inside one transaction; grouped by table in `Tables`.
class StoreReader: ListReader {
  let db: Database
  let rows = RowCounter()
  private let openedSchema: Int

  /// - Parameter schema: that of the store when it was opened.
  init(db: Database, schema: Int) { (self.db, openedSchema) = (db, schema) }

  /// The schema of what is read: a store that is only read may be of an older one, until another
  /// process brings it up to date. What restored a dump may not say which it is.
  var schema: Int { get throws { max(openedSchema, try db.schema()) } }
}

extension RawStatement {
  /// A statement of a reader, whose rows it counts.
  init(_ reader: StoreReader, _ sql: String) throws {
    try self.init(reader.db, sql, rows: reader.rows)
  }
}
