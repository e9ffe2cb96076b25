import Foundation
import GRDB
import Migrations

/// A file that may or may not be a store, looked at without changing it.
struct StoreFile {
  let path: String
  var busyTimeoutSeconds = SQLiteStore.busyTimeoutSeconds

  struct Finding {
    /// Whether the file is a store; false when there is no file yet, or one that nothing was
    /// written to.
    var isStore = false
    /// Whether it has pages, and these no checksums.
    var lacksChecksums = false
  }

  /// - Throws: `StoreError` when the file is neither a store nor can become one.
  func look() throws -> Finding {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      return Finding()
    }
    if isFolder.boolValue { throw StoreError.cannotOpen(path: path, reason: "it is a folder") }
    try checkLog()
    do {
      return try lookInside()
    } catch let error as DatabaseError {
      throw StoreError(opening: path, error)
    }
  }

  private func lookInside() throws -> Finding {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(busyTimeoutSeconds)
    do {
      return try lookInside(configuration)
    } catch let error as DatabaseError
      where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK
    {
      // A process that was killed left a transaction that has to be rolled back first, as it would
      // be by any program that opens the file.
      configuration.readonly = false
      return try lookInside(configuration)
    } catch let error as DatabaseError where error.lacksRoomForSharedMemory {
      configuration.withholdMemory()
      return try lookInside(configuration)
    }
  }

  private func lookInside(_ configuration: Configuration) throws -> Finding {
    let queue = try DatabaseQueue(
      path: StoreConnection.address(of: path), configuration: configuration)
    return try queue.read { db in
      let isStore = try isStore(db)
      let lacksChecksums = try db.hasPages() && db.reservedByteCount < PageChecksum.byteCount
      return Finding(isStore: isStore, lacksChecksums: lacksChecksums)
    }
  }

  private func isStore(_ db: Database) throws -> Bool {
    let applicationID = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    let schema = try db.schema()
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
