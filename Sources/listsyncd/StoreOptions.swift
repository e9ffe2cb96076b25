import ArgumentParser
import Foundation
import ListModel
import ListStore
import SQLiteStore
import SyncService

/// The store that is served.
struct StoreOptions: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp(
      "The store's file (default: $LISTSYNC_STORE, else ./listsync.db).", valueName: "file"))
  var given: String?

  func service() throws -> SyncService {
    let environment = ProcessInfo.processInfo.environment
    let path = given ?? environment["LISTSYNC_STORE"] ?? "listsync.db"
    let waitSeconds = TimeInterval(try BusyWait.seconds(environment: environment))
    // Only the server's user may read a new store; SQLite gives its WAL the same mode.
    let mask = umask(0o077)
    defer { umask(mask) }
    let store = try SQLiteStore(path: path, ifAbsent: .create, busyTimeoutSeconds: waitSeconds)
    return SyncService(store: store, limits: try Self.limits()) { Timestamp(Date()) }
  }

  static func limits() throws -> Limits {
    try Limits(environment: ProcessInfo.processInfo.environment)
  }
}
