import ArgumentParser
import Foundation
import ListModel
import ListStore
import SyncService

/// Which store a verb works on.
struct StoreOptions: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp(
      "The store's file (default: $LISTSYNC_STORE, else ./listsync.db).", valueName: "file"))
  var given: String?

  var path: String {
    given ?? ProcessInfo.processInfo.environment["LISTSYNC_STORE"] ?? "listsync.db"
  }

  /// The service on the store, which must be there unless it may be made.
  func service(ifAbsent absence: SQLiteStore.Absence = .fail) throws -> SyncService {
    SyncService(store: try SQLiteStore(path: path, ifAbsent: absence)) { Timestamp(Date()) }
  }
}
