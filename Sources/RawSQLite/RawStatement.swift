import GRDB
import GRDBSQLite

/// A prepared statement for loops over many rows: GRDB prepares and caches it, and SQLite's own
/// functions bind and step it, which costs a fraction of GRDB's general way for each row.
///
/// Valid inside the transaction that prepared it. Texts are bound and read as bytes with their
/// length, so they may hold U+0000, where GRDB ends a text.
package struct RawStatement {
  package let handle: SQLiteStatement
  private let db: Database
  private let rows: RowCounter

  /// - Parameter rows: counts the rows that the statement reads.
  package init(_ db: Database, _ sql: String, rows: RowCounter = RowCounter()) throws {
    self.db = db
    self.rows = rows
    handle = try db.cachedStatement(sql: sql).sqliteStatement
    reset()
  }

  /// Makes the statement ready for the next values.
  package func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  package func bind(_ number: Int64?, at position: Int32) {
    if let number {
      sqlite3_bind_int64(handle, position, number)
    } else {
      sqlite3_bind_null(handle, position)
    }
  }

  package func bind(_ value: RawValue, at position: Int32) {
    switch value {
    case .null: bind(nil, at: position)
    case .integer(let number): bind(number, at: position)
    case .double(let number): sqlite3_bind_double(handle, position, number)
    case .text(var text):
      text.withUTF8 { bind(text: UnsafeRawBufferPointer($0), at: position, Self.transient) }
    case .utf8(let bytes):
      bytes.withUnsafeBytes { bind(text: $0, at: position, Self.transient) }
    case .blob(let bytes):
      bytes.withUnsafeBytes { bytes in
        _ = sqlite3_bind_blob(
          handle, position, Self.start(of: bytes), Int32(bytes.count), Self.transient)
      }
    }
  }

  /// Binds values to the positions from 1 on.
  package func bind(_ values: [RawValue]) {
    for (position, value) in zip(Int32(1)..., values) { bind(value, at: position) }
  }

  /// Runs a statement that gives no rows, and makes it ready for the next values.
  ///
  /// - Parameter values: for the positions from 1 on. Positions without a value keep their bound
  ///   one.
  package func run(_ values: RawValue...) throws {
    bind(values)
    _ = try step()
    reset()
  }

  private func bind(
    text bytes: UnsafeRawBufferPointer, at position: Int32, _ lifetime: sqlite3_destructor_type?
  ) {
    sqlite3_bind_text(
      handle, position, Self.start(of: bytes).assumingMemoryBound(to: CChar.self),
      Int32(bytes.count), lifetime)
  }

  /// Makes SQLite copy a bound value.
  private static var transient: sqlite3_destructor_type {
    unsafeBitCast(OpaquePointer(bitPattern: -1), to: sqlite3_destructor_type.self)
  }

  /// An empty array may have no address, which SQLite would bind as NULL.
  private static func start(of bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer {
    bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!
  }

  /// Goes to the next row; false when there is none.
  package func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW:
      rows.count += 1
      return true
    case SQLITE_DONE: return false
    case let code:
      let message = sqlite3_errmsg(db.sqliteConnection).map { String(cString: $0) }
      sqlite3_reset(handle)
      throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
    }
  }

  package func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  package func optionalInteger(_ column: Int32) -> Int64? {
    isNull(column) ? nil : integer(column)
  }

  /// A text; empty for NULL.
  package func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  /// The bytes of a text or blob; empty for NULL.
  package func bytes(_ column: Int32) -> [UInt8] {
    guard let start = sqlite3_column_blob(handle, column) else { return [] }
    let count = Int(sqlite3_column_bytes(handle, column))
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}

/// A statement that writes: SQLite's own functions bind its values, as in ``RawStatement``, and
/// GRDB runs it, so that its observers are told.
package struct ObservedStatement {
  private let statement: Statement
  private let raw: RawStatement

  package init(_ db: Database, _ sql: String) throws {
    statement = try db.cachedStatement(sql: sql)
    // GRDB would refuse a statement whose values it does not know.
    statement.setUncheckedArguments(StatementArguments())
    raw = try RawStatement(db, sql)
  }

  package func run(_ values: [RawValue], _ last: RawValue) throws {
    raw.bind(values)
    raw.bind(last, at: Int32(values.count + 1))
    try statement.execute()
    sqlite3_reset(raw.handle)
  }

  /// The number of rows that the last statement of the connection changed.
  package var changedRowCount: Int { Int(sqlite3_changes(sqlite3_db_handle(raw.handle))) }
}

/// A value to bind.
package enum RawValue {
  case null
  case integer(Int64)
  case double(Double)
  case text(String)
  /// A text as its bytes.
  case utf8([UInt8])
  case blob([UInt8])
}

/// Counts the rows that statements read in one transaction, so that tests can compare costs.
package final class RowCounter {
  package var count = 0

  package init() {}
}
