import GRDBSQLite

/// SQLite's own functions, as a program written by hand would call them.
final class BareDatabase {
  let handle: OpaquePointer

  init(path: String) throws {
    var opened: OpaquePointer?
    let code = sqlite3_open(path, &opened)
    guard code == SQLITE_OK, let opened else { throw BareError(code: code, doing: "open \(path)") }
    handle = opened
  }

  deinit { sqlite3_close_v2(handle) }

  func run(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw BareError(code: code, doing: sql) }
  }

  func prepare(_ sql: String) throws -> BareStatement { try BareStatement(self, sql) }

  /// The one number that a statement gives.
  func number(_ sql: String) throws -> Int {
    let statement = try prepare(sql)
    guard try statement.step() else { throw BareError(code: SQLITE_DONE, doing: sql) }
    return statement.number(0)
  }
}

struct BareError: Error, CustomStringConvertible {
  let code: Int32
  let doing: String
  var description: String { "SQLite result \(code): \(doing)" }
}

final class BareStatement {
  private let database: BareDatabase
  private let handle: OpaquePointer
  private let sql: String

  init(_ database: BareDatabase, _ sql: String) throws {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v2(database.handle, sql, -1, &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw BareError(code: code, doing: sql) }
    self.database = database
    self.sql = sql
    handle = prepared
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ number: Int, at position: Int32) {
    sqlite3_bind_int64(handle, position, Int64(number))
  }

  /// - Precondition: The bytes stay where they are until the statement is reset.
  func bind(text: UnsafeBufferPointer<UInt8>, at position: Int32) {
    text.withMemoryRebound(to: CChar.self) {
      _ = sqlite3_bind_text(handle, position, $0.baseAddress, Int32($0.count), nil)
    }
  }

  func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw BareError(code: code, doing: sql)
    }
  }

  func reset() { sqlite3_reset(handle) }

  func number(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

  /// A copy of the bytes of a text; empty for NULL.
  func text(_ column: Int32) -> [UInt8] {
    guard let start = sqlite3_column_text(handle, column) else { return [] }
    let count = Int(sqlite3_column_bytes(handle, column))
    return Array(UnsafeBufferPointer(start: start, count: count))
  }
}
