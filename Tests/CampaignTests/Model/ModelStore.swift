import Foundation
import ListModel
import ListStore
import PostgresTestSupport
import SQLiteStore
import StoreTestSupport
import SyncService
import Synchronization
import TestSupport

/// A clock that a test sets.
final class ModelClock: Sendable {
  private let time = Mutex(TestStore.noon)

  var now: Timestamp { time.withLock { $0 } }

  func advance(milliseconds: Int) {
    time.withLock {
      $0 = Timestamp(millisecondsSince1970: $0.millisecondsSince1970 + Int64(milliseconds))
    }
  }
}

/// A store and its twin in memory.
final class ModelStore {
  private let folder: URL
  private let clock: ModelClock
  private let engine: StoreEngine
  private var fileCount = 1
  private var path: String
  private var store: any ListStore
  var twin = TwinStore()
  /// Commits that were asked for, also those that were refused.
  var sent: [CommitRequest] = []

  init(_ clock: ModelClock, _ engine: StoreEngine) throws {
    (self.clock, self.engine) = (clock, engine)
    folder = try TemporaryFolder.make()
    path = folder.appendingPathComponent("1.db").path
    store = try engine.place(path).open(.creating)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var service: SyncService { service(of: store) }

  /// The store, if it is a file.
  var file: SQLiteStore? { store as? SQLiteStore }

  func reopen() throws { store = try engine.place(path).open(.writing) }

  /// The same store, opened for reading.
  func reader() throws -> SyncService { service(of: try engine.place(path).open(.reading)) }

  func newPath() -> String {
    fileCount += 1
    return folder.appendingPathComponent("\(fileCount).db").path
  }

  /// Continues with another file.
  func move(to path: String) throws {
    self.path = path
    try reopen()
  }

  private func service(of store: any ListStore) -> SyncService {
    let clock = clock
    return SyncService(store: store) { clock.now }
  }
}
