import Foundation
import ListModel
import ListStore
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

/// A store in a file, and its twin in memory.
final class ModelStore {
  private let folder: URL
  private let clock: ModelClock
  private var fileCount = 1
  private(set) var path: String
  private(set) var store: SQLiteStore
  var twin = TwinStore()
  /// Snapshots read before a commit, by list; outdated after the next commit.
  var held: [ListName: HeldSnapshot] = [:]

  init(_ clock: ModelClock) throws {
    self.clock = clock
    folder = try TemporaryFolder.make()
    path = folder.appendingPathComponent("1.db").path
    store = try SQLiteStore(path: path, ifAbsent: .create)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var service: SyncService { service(of: store) }

  func reopen() throws { store = try SQLiteStore(path: path, ifAbsent: .fail) }

  /// The same file, opened for reading.
  func reader() throws -> SyncService { service(of: try SQLiteStore(readingFrom: path)) }

  func newPath() -> String {
    fileCount += 1
    return folder.appendingPathComponent("\(fileCount).db").path
  }

  /// Continues with another file.
  func move(to path: String) throws {
    self.path = path
    try reopen()
  }

  private func service(of store: SQLiteStore) -> SyncService {
    let clock = clock
    return SyncService(store: store) { clock.now }
  }
}
