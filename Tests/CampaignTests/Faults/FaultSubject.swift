import FaultyFiles
import Foundation
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport

/// A store in a watched folder, which goes when this goes.
final class FaultSubject {
  let folder: URL
  let faults: FaultyFolder
  var store: SQLiteStore?

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

  /// The store, which is opened where it is not.
  func opened() throws -> SQLiteStore {
    if let store { return store }
    let opened = try SQLiteStore(path: path, ifAbsent: .create)
    store = opened
    return opened
  }

  /// What a process that starts now would find, in a folder of its own: the shared memory of the
  /// write-ahead log does not outlive the processes that use it.
  func afterProcessEnd() throws -> FaultSubject { try FaultSubject(from: folder) }

  private static func copyStore(from source: URL, to target: URL) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: source.path)
    where !name.hasSuffix("-shm") {
      try FileManager.default.copyItem(
        at: source.appendingPathComponent(name), to: target.appendingPathComponent(name))
    }
  }

  /// The names of files that no store and no finished backup has.
  func strayNames() throws -> [String] {
    let known = ["test.db", "backup.db"].flatMap { name in
      ["", "-wal", "-shm", "-journal"].map { name + $0 }
    }
    return try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { !known.contains($0) }
  }
}
