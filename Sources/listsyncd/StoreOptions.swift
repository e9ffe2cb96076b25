import ArgumentParser
import Foundation
import ListModel
import ListStore
import SyncService

/// Which store is served.
struct StoreOptions: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp(
      "The store's file (default: $LISTSYNC_STORE, else ./listsync.db).", valueName: "file"))
  var given: String?

  func service() throws -> SyncService {
    let environment = ProcessInfo.processInfo.environment
    let path = given ?? environment["LISTSYNC_STORE"] ?? "listsync.db"
    let store = try SQLiteStore(
      path: path, ifAbsent: .create,
      busyTimeoutSeconds: TimeInterval(try BusyWait.seconds(environment: environment)))
    return SyncService(store: store, limits: try Self.limits()) { Timestamp(Date()) }
  }

  static func limits() throws -> Limits {
    try Limits(environment: ProcessInfo.processInfo.environment)
  }
}
