import Foundation
import GRDB
import ListModel
import LocalFiles
import RawSQLite

/// The file of an export, opened for writing. Other programs may read it meanwhile.
///
/// It has no write-ahead log, so that the file alone is always the whole export. Each transaction
/// ends on a version. Not `Sendable`: one task uses it at a time.
final class ExportFile {
  /// For messages.
  let path: String
  private let queue: DatabaseQueue
  /// Counts the statements that rows are written with, for tests.
  private(set) var statementCount = 0

  /// Opens an export, or makes an empty one if there is no file, or an empty one.
  ///
  /// - Parameters:
  ///   - path: the file; nil for one that goes when this goes.
  ///   - busyTimeoutSeconds: how long to wait for other programs that use the file.
  /// - Throws: `FileError.cannotOpen`; `ExportError` of opening.
  init(path: String?, busyTimeoutSeconds: Double) throws {
    let place = try path.map { try FilePlace(writing: $0) }
    let path = path ?? "the temporary file"
    self.path = path
    if let kind = place?.status?.kind, kind != .regular {
      throw FileError.cannotOpen(path: path, reason: "it is not a regular file")
    }
    var configuration = Configuration()
    configuration.busyMode = .timeout(busyTimeoutSeconds)
    // A transaction is open while versions are read from the store.
    configuration.allowsUnsafeTransactions = true
    do {
      // To SQLite, a file without a name is a temporary one.
      queue = try DatabaseQueue(path: place?.path ?? "", configuration: configuration)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN {
      throw FileError.cannotOpen(path: path, reason: error.message ?? "SQLite cannot open it")
    } catch let error as DatabaseError {
      throw ExportError(error, path: path)
    }
    if try isNew() { try inTransaction { if try isNew() { try run(ExportSchema.sql) } } }
    // A transaction that does not fit into memory would lock readers out before its end. Pruned
    // rows are overwritten with zeros.
    try run("PRAGMA cache_size = -131072; PRAGMA secure_delete = ON")
  }

  /// Whether the file is still empty.
  private func isNew() throws -> Bool {
    try database { db in
      let applicationID = try Int.fetchOne(db, sql: "PRAGMA application_id")
      let format = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
      if applicationID == ExportSchema.applicationID {
        guard format <= ExportSchema.format else {
          throw ExportError.newer(path: path, format: format)
        }
        return false
      }
      guard applicationID == 0, try Int.fetchOne(db, sql: "PRAGMA schema_version") == 0 else {
        throw ExportError.notAnExport(path: path)
      }
      return true
    }
  }

  // MARK: Transactions

  /// Waits for other writers.
  func begin() throws { try run("BEGIN IMMEDIATE") }

  /// Waits for readers.
  func commit() throws { try run("COMMIT") }

  /// Undoes what was written since the last commit, after an error.
  func rollback() { try? run("ROLLBACK") }

  private func inTransaction(_ body: () throws -> Void) throws {
    try begin()
    do {
      try body()
      try commit()
    } catch {
      rollback()
      throw error
    }
  }

  // MARK: Statements

  /// Runs statements that are the program's own.
  func run(_ sql: String) throws { try database { try $0.execute(sql: sql) } }

  /// Runs one statement, and passes its rows to a receiver.
  func run(
    _ sql: String, _ values: [RawValue], receive: (RawStatement) throws -> Void = { _ in }
  ) throws {
    statementCount += 1
    try database { db in
      let statement = try RawStatement(db, sql)
      statement.bind(values)
      while try statement.step() { try receive(statement) }
      statement.reset()
    }
  }

  /// The first column of the first row as a number; nil without a row, and for NULL.
  func integer(_ sql: String, _ values: [RawValue]) throws -> Int64? {
    var found: Int64?
    try run(sql, values) { found = $0.optionalInteger(0) }
    return found
  }

  private func database<Result>(_ body: (Database) throws -> Result) throws -> Result {
    do {
      return try queue.writeWithoutTransaction(body)
    } catch let error as DatabaseError {
      throw ExportError(error, path: path)
    }
  }
}

extension HistoryExporter {
  /// Whether a file is an export, by the number in its header.
  package static func isExport(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    let number = [UInt8]((try? file.read(upToCount: 72))?.dropFirst(68) ?? Data())
    return number.reduce(0) { $0 << 8 | Int($1) } == ExportSchema.applicationID
  }
}
