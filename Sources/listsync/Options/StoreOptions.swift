import ArgumentParser
import Foundation
import ListModel
import ListStore
import SQLiteStore
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
  /// Counts what a task opens, for tests.
  @TaskLocal static var openings: OpeningCounter?

  final class OpeningCounter: Sendable {
    let count = Mutex(0)
  }

  /// Notes that a store is being opened.
  private func noteOpening() {
    Self.opened.withLock { $0 = path }
    Self.openings?.count.withLock { $0 += 1 }
  }

  var path: String {
    given ?? ProcessInfo.processInfo.environment["LISTSYNC_STORE"] ?? "listsync.db"
  }

  /// The service for reading the store, which must be there.
  func service() throws -> SyncService { try service(on: readingStore()) }

  /// The store itself, to read it.
  func readingStore() throws -> SQLiteStore {
    noteOpening()
    let store = try SQLiteStore(readingFrom: path, busyTimeoutSeconds: Self.waitSeconds())
    if store.isReadWithoutLocks {
      Output.note(
        "\(Output.printable(path)): read without locks, since this user may not write there")
    }
    return store
  }

  /// The service for writing to the store, which is made where it is not there.
  func writingService() throws -> SyncService {
    try service(on: openedStore(ifAbsent: .create))
  }

  /// The store, for writing, which must be there.
  func existingStore() throws -> SQLiteStore { try openedStore(ifAbsent: .fail) }

  private func openedStore(ifAbsent absence: SQLiteStore.Absence) throws -> SQLiteStore {
    noteOpening()
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
