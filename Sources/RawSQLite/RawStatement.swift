import GRDB
import GRDBSQLite

/// A prepared statement for loops over many rows: GRDB prepares and caches it, SQLite's own
/// functions bind and step it. (Per row, GRDB's general way costs several times as much.)
///
/// Valid inside the transaction that prepared it. Texts are bound as bytes with their length, so
/// that they may hold U+0000.
package struct RawStatement {
  private let handle: SQLiteStatement
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

  @inlinable package func bind(text: some Sequence<UInt8>, at position: Int32) {
    bind(text: Array(text), at: position)
  }

  package func bind(text: [UInt8], at position: Int32) {
    text.withUnsafeBytes { bytes in
      _ = sqlite3_bind_text(
        handle, position, Self.start(of: bytes).assumingMemoryBound(to: CChar.self),
        Int32(bytes.count), Self.transient)
    }
  }

  package func bind(blob: [UInt8], at position: Int32) {
    blob.withUnsafeBytes { bytes in
      _ = sqlite3_bind_blob(
        handle, position, Self.start(of: bytes), Int32(bytes.count), Self.transient)
    }
  }

  /// Runs a statement with texts that are not copied: they are bound while it runs, and no longer.
  package func run(
    text: String?, at position: Int32, content: [UInt8]?, at contentPosition: Int32
  ) throws {
    guard var text else { return try run(content: content, at: contentPosition) }
    try text.withUTF8 { bytes in
      bindStatic(UnsafeRawBufferPointer(bytes), at: position)
      try run(content: content, at: contentPosition)
    }
  }

  private func run(content: [UInt8]?, at position: Int32) throws {
    guard let content else { return try run() }
    try content.withUnsafeBytes { bytes in
      bindStatic(bytes, at: position)
      try run()
    }
  }

  private func bindStatic(_ bytes: UnsafeRawBufferPointer, at position: Int32) {
    sqlite3_bind_text(
      handle, position, Self.start(of: bytes).assumingMemoryBound(to: CChar.self),
      Int32(bytes.count), nil)
  }

  /// SQLite copies what is bound.
  private static var transient: sqlite3_destructor_type {
    unsafeBitCast(OpaquePointer(bitPattern: -1), to: sqlite3_destructor_type.self)
  }

  /// An empty array may have no address, and SQLite takes that for NULL.
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

  /// Runs a statement that gives no rows, and makes it ready for the next values.
  package func run() throws {
    _ = try step()
    reset()
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

  package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  /// The bytes of a text or blob; empty for NULL.
  package func bytes(_ column: Int32) -> [UInt8] {
    guard let start = sqlite3_column_blob(handle, column) else { return [] }
    let count = Int(sqlite3_column_bytes(handle, column))
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}

/// Counts the rows that loops read in one transaction, so that costs can be tested by counting.
package final class RowCounter {
  package var count = 0

  package init() {}
}
