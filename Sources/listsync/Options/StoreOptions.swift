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

  /// The service for reading the store, which must be there.
  func service() throws -> SyncService { service(on: try readingStore()) }

  /// The store itself, to read it.
  func readingStore() throws -> SQLiteStore { try SQLiteStore(readingFrom: path) }

  /// The service for reading the store; nil where there is none yet, or one whose making was cut
  /// off.
  func serviceIfThere() throws -> SyncService? {
    do {
      return try service()
    } catch StoreError.notFound {
      return nil
    }
  }

  /// The service for writing to the store, which is made where it is not there.
  func writingService() throws -> SyncService {
    service(on: try SQLiteStore(path: path, ifAbsent: .create))
  }

  /// The store, for writing, which must be there.
  func existingStore() throws -> SQLiteStore { try SQLiteStore(path: path, ifAbsent: .fail) }

  /// The service for writing to the store, which must be there.
  func existingService() throws -> SyncService { service(on: try existingStore()) }

  func service(on store: SQLiteStore) -> SyncService {
    SyncService(store: store) { Timestamp(Date()) }
  }
}
