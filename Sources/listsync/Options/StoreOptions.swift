import ArgumentParser
import Foundation
import ListModel
import ListStore
import SyncService
import Synchronization
import Terminal

/// Which store a verb works on.
struct StoreOptions: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp(
      "The store's file (default: $LISTSYNC_STORE, else ./listsync.db).", valueName: "file"))
  var given: String?

  /// The store that this process works on, for errors that do not name it; nil before it is opened.
  static let opened = Mutex<String?>(nil)

  var path: String {
    given ?? ProcessInfo.processInfo.environment["LISTSYNC_STORE"] ?? "listsync.db"
  }

  /// The service for reading the store, which must be there.
  func service() throws -> SyncService { try service(on: readingStore()) }

  /// The store itself, to read it.
  func readingStore() throws -> SQLiteStore {
    Self.opened.withLock { $0 = path }
    let store = try SQLiteStore(readingFrom: path, busyTimeoutSeconds: Self.waitSeconds())
    if store.isReadWithoutLocks {
      Output.note(
        "\(Output.printable(path)): read without locks, since this user may not write there")
    }
    return store
  }

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
    try service(on: openedStore(ifAbsent: .create))
  }

  /// The store, for writing, which must be there.
  func existingStore() throws -> SQLiteStore { try openedStore(ifAbsent: .fail) }

  private func openedStore(ifAbsent absence: SQLiteStore.Absence) throws -> SQLiteStore {
    Self.opened.withLock { $0 = path }
    return try SQLiteStore(
      path: path, ifAbsent: absence, busyTimeoutSeconds: Self.waitSeconds())
  }

  private static func waitSeconds() throws -> TimeInterval {
    TimeInterval(try Settings.waitSeconds())
  }

  /// The service for writing to the store, which must be there.
  func existingService() throws -> SyncService { try service(on: existingStore()) }

  func service(on store: SQLiteStore) throws -> SyncService {
    SyncService(store: store, limits: try Settings.limits()) { Timestamp(Date()) }
  }
}
