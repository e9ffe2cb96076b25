import ArgumentParser
import Foundation
import ListModel
import SQLiteStore
import SyncService

/// The store that is served.
struct StoreOptions: ParsableArguments {
  @Option(
    name: .customLong("store"), help: ArgumentHelp("The store's file.", valueName: "file"),
    completion: .file())
  var path = "listsync.db"
  @Option(
    name: .customLong("wait"),
    help: ArgumentHelp(
      "How long a commit waits for another process's write. (default: 10)", valueName: "seconds"),
    transform: wholeNumber(in: 0...BusyWait.highestSeconds))
  var waitSeconds = BusyWait.standardSeconds

  func service(_ limits: Limits) throws -> SyncService {
    // Only the server's user may read a new store; SQLite gives its WAL the same mode.
    let mask = umask(0o077)
    defer { umask(mask) }
    let store = try SQLiteStore(
      path: path, ifAbsent: .create, busyTimeoutSeconds: TimeInterval(waitSeconds))
    return SyncService(store: store, limits: limits) { Timestamp(Date()) }
  }
}
