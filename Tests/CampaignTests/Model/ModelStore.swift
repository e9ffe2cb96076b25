import Foundation
import ListModel
import ListStore
import PostgresStore
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

/// The engine under the model: how a store is opened.
struct ModelEngine: Sendable {
  enum Use { case creating, writing, reading }

  /// Opens the store at a path, which is the name of a schema in a database.
  let open: @Sendable (_ path: String, Use) throws -> any ListStore

  static let sqlite = ModelEngine { path, use in
    switch use {
    case .creating: try SQLiteStore(path: path, ifAbsent: .create)
    case .writing: try SQLiteStore(path: path, ifAbsent: .fail)
    case .reading: try SQLiteStore(readingFrom: path)
    }
  }

  static let postgres = ModelEngine { path, use in
    let schema = URL(fileURLWithPath: path).pathComponents.suffix(2).joined(separator: " ")
    return try PostgresStore(
      address: PostgresServer.shared.get().address(), schema: schema,
      createsMissing: use == .creating)
  }
}

/// A store and its twin in memory.
final class ModelStore {
  private let folder: URL
  private let clock: ModelClock
  private let engine: ModelEngine
  private var fileCount = 1
  private var path: String
  private var store: any ListStore
  var twin = TwinStore()
  /// Snapshots read before a commit, by list; outdated after the next commit.
  var held: [ListName: HeldSnapshot] = [:]

  init(_ clock: ModelClock, _ engine: ModelEngine) throws {
    (self.clock, self.engine) = (clock, engine)
    folder = try TemporaryFolder.make()
    path = folder.appendingPathComponent("1.db").path
    store = try engine.open(path, .creating)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var service: SyncService { service(of: store) }

  /// The store, if it is a file.
  var file: SQLiteStore? { store as? SQLiteStore }

  func reopen() throws { store = try engine.open(path, .writing) }

  /// The same store, opened for reading.
  func reader() throws -> SyncService { service(of: try engine.open(path, .reading)) }

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
