import Foundation
import GRDB
import Migrations

/// A file that may or may not be a store, looked at without changing it.
struct StoreFile {
  let path: String

  /// Whether the file is a store; false when there is no file yet, or one that nothing was written
  /// to.
  ///
  /// - Throws: `StoreError` when it is something else.
  func isStore() throws -> Bool {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return false }
    if isFolder.boolValue { throw StoreError.cannotOpen(path: path, reason: "it is a folder") }
    do {
      return try isStore(readonly: true)
    } catch let error as DatabaseError
      where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK
    {
      return try recovered()
    } catch let error as DatabaseError {
      throw StoreError(opening: path, error)
    }
  }

  /// Looks again, where a process that was killed left a transaction that has to be rolled back
  /// first, as it would be by any program that opens the file.
  private func recovered() throws -> Bool {
    do {
      return try isStore(readonly: false)
    } catch let error as DatabaseError {
      throw StoreError(opening: path, error)
    }
  }

  private func isStore(readonly: Bool) throws -> Bool {
    var configuration = Configuration()
    configuration.readonly = readonly
    configuration.busyMode = .timeout(SQLiteStore.busyTimeoutSeconds)
    return try DatabaseQueue(path: path, configuration: configuration).read(isStore)
  }

  private func isStore(_ db: Database) throws -> Bool {
    let applicationID = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    let schema = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    guard applicationID == Schema.applicationID else {
      // A process that was killed while it made the store leaves an empty database, or the
      // migrator's table.
      let tables = try String.fetchAll(
        db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
      guard applicationID == 0, schema == 0, tables.isEmpty || tables == ["grdb_migrations"] else {
        throw StoreError.foreign(path: path)
      }
      return false
    }
    let known = Migrations.all.count
    let isSuperseded = try Schema.migrator.hasBeenSuperseded(db)
    guard schema <= known, !isSuperseded else {
      throw StoreError.newer(path: path, schema: schema, known: known)
    }
    return true
  }
}
