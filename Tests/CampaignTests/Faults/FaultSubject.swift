import FaultyFiles
import Foundation
import ListStore
import Migrations
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport

/// A store in a watched folder, which is deleted with this object.
final class FaultSubject {
  let folder: URL
  let faults: FaultyFolder
  var store: SQLiteStore?
  /// Those of the program that opens the store.
  var migrations = Migrations.all

  /// - Parameter base: the folder whose files the store starts with; nil for none.
  init(from base: URL? = nil) throws {
    folder = try TemporaryFolder.make()
    if let base { try Self.copyStore(from: base, to: folder) }
    faults = try FaultyFolder(folder)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var path: String { folder.appendingPathComponent("test.db").path }
  var backupPath: String { folder.appendingPathComponent("backup.db").path }

  var service: SyncService {
    get throws { SyncService(store: try opened()) { TestStore.noon } }
  }

  /// The store, opened on first use.
  func opened() throws -> SQLiteStore {
    if let store { return store }
    let opened = try SQLiteStore(path: path, ifAbsent: .create, migrations: migrations)
    store = opened
    return opened
  }

  /// A copy of the files for a new process, in a folder of its own. It omits the shared memory of
  /// the write-ahead log, which ends with the processes that use it.
  func afterProcessEnd() throws -> FaultSubject {
    let next = try FaultSubject(from: folder)
    next.migrations = migrations
    return next
  }

  private static func copyStore(from source: URL, to target: URL) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: source.path)
    where !name.hasSuffix("-shm") {
      try FileManager.default.copyItem(
        at: source.appendingPathComponent(name), to: target.appendingPathComponent(name))
    }
  }

  /// The names of files that belong neither to a store nor to a finished backup.
  func strayNames() throws -> [String] {
    let known = ["test.db", "backup.db"].flatMap { name in
      ["", "-wal", "-shm", "-journal"].map { name + $0 }
    }
    return try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { !known.contains($0) }
  }
}
