import ArgumentParser
import Foundation
import ListModel
import ListStore
import PostgresStore
import SQLiteStore
import SyncService

/// The store that is served.
struct StoreOptions: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp(
      "The store's file, or the address of a PostgreSQL database: postgresql://…",
      valueName: "file"),
    completion: .file())
  var path = "listsync.db"
  @Option(
    help: ArgumentHelp(
      "The schema of a PostgreSQL database that has the tables.", valueName: "name"))
  var schema = PostgresStore.standardSchema
  @Option(
    name: .customLong("wait"),
    help: ArgumentHelp(
      "How long a commit waits for another process's write. (default: 10)", valueName: "seconds"),
    transform: wholeNumber(in: 0...BusyWait.highestSeconds))
  var waitSeconds = BusyWait.standardSeconds

  /// The store's full path, or its address without a password.
  var name: String {
    PostgresStore.isAddress(path)
      ? PostgresStore.withoutPassword(path) : URL(fileURLWithPath: path).path
  }

  func service(_ limits: Limits) throws -> SyncService {
    // Only the server's user may read a new store; SQLite gives its WAL the same mode.
    let mask = umask(0o077)
    defer { umask(mask) }
    let wait = TimeInterval(waitSeconds)
    let store: any ListStore =
      if PostgresStore.isAddress(path) {
        try PostgresStore(
          address: path, schema: schema, createsMissing: true, busyTimeoutSeconds: wait)
      } else {
        try SQLiteStore(path: path, ifAbsent: .create, busyTimeoutSeconds: wait)
      }
    return SyncService(store: store, limits: limits) { Timestamp(Date()) }
  }
}
