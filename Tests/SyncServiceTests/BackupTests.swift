import Foundation
import GRDB
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SyncService

@Suite(.serialized) struct BackupTests {
  private func history(_ test: TestStore) async throws -> TestHistory {
    var random = SeededRandom.forThisRun()
    var history = TestHistory(test)
    try await history.commit(history.newItems(3000))
    for _ in 0..<8 { try await history.commitEdits(200, &random) }
    return history
  }

  private func names(beside path: String) throws -> [String] {
    let folder = (path as NSString).deletingLastPathComponent
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  @Test func copyGivesTheSameAnswersAsTheStore() async throws {
    let test = try TestStore()
    let history = try await history(test)
    let path = test.path + ".copy"
    let report = try await Backup(of: test.store, to: path).run()
    #expect(report.verification.faults == [])
    #expect(report.byteCount == (try Data(contentsOf: URL(fileURLWithPath: path)).count))
    // One file: no write-ahead log, no temporary name.
    #expect(try names(beside: path).filter { $0.contains("copy") } == ["test.db.copy"])
    let copy = SyncService(store: try SQLiteStore(readingFrom: path)) { TestStore.noon }
    #expect(try await copy.log(of: .parks) == test.service.log(of: .parks))
    #expect(try await copy.lists() == test.service.lists())
    for number in history.snapshots.indices {
      let revision = Revision.version(Version(number))
      #expect(
        try await copy.snapshot(of: .parks, at: revision).snapshot == history.snapshots[number])
    }
    // The backup is a store of its own.
    let writing = SyncService(store: try SQLiteStore(path: path, ifAbsent: .fail)) {
      TestStore.noon
    }
    _ = try await writing.commit(.init(list: .parks, snapshot: .of("a")))
    #expect(try await test.service.lists().first?.head.cursor?.version == history.head)
  }

  @Test func readingACopyCreatesNoOtherFile() async throws {
    let test = try TestStore()
    _ = try await history(test)
    let path = test.path + ".copy"
    _ = try await Backup(of: test.store, to: path).run()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
    do {
      let copy = SyncService(store: try SQLiteStore(readingFrom: path)) { TestStore.noon }
      _ = try await copy.snapshot(of: .parks)
      #expect(try names(beside: path).filter { $0.contains("copy") } == ["test.db.copy"])
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
  }

  @Test func existingFileIsRefusedUnlessReplacementIsRequested() async throws {
    let test = try TestStore()
    _ = try await history(test)
    let path = test.path + ".copy"
    try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
    #expect(throws: StoreError.alreadyThere(place: path)) { try Backup(of: test.store, to: path) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("precious".utf8))
    _ = try await Backup(of: test.store, to: path, replaces: true).run()
    let copy = SyncService(store: try SQLiteStore(readingFrom: path)) { TestStore.noon }
    #expect(try await copy.lists() == test.service.lists())
    #expect(try names(beside: path).filter { $0.contains("partial") } == [])
  }

  @Test func fileCreatedDuringABackupIsNotReplaced() async throws {
    let test = try TestStore()
    _ = try await history(test)
    let path = test.path + ".copy"
    let backup = try Backup(of: test.store, to: path)
    try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
    await #expect(throws: StoreError.alreadyThere(place: path)) { try await backup.run() }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("precious".utf8))
    #expect(try names(beside: path).filter { $0.contains("partial") } == [])
  }

  @Test func backupNeverReplacesItsOwnStoreOrAStoreInUse() async throws {
    let test = try TestStore()
    _ = try await history(test)
    let link = test.path + ".link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: test.path)
    for path in [test.path, link] {
      let error = #expect(throws: StoreError.self) {
        try Backup(of: test.store, to: path, replaces: true)
      }
      guard case .inUse = error else {
        Issue.record("expected .inUse, got \(String(describing: error))")
        continue
      }
    }
    let other = try TestStore()
    _ = try await other.service.commit(.init(list: .parks, snapshot: .of("a")))
    // SQLite would play its write-ahead log back into any file at its path.
    #expect(throws: StoreError.self) { try Backup(of: test.store, to: other.path, replaces: true) }
    #expect(try await other.service.snapshot(of: .parks).snapshot == .of("a"))
  }

  @Test func otherConnectionsCommitDuringABackup() async throws {
    let test = try TestStore()
    let history = try await history(test)
    let (path, service) = (test.path + ".copy", test.service)
    let other = SyncService(store: try SQLiteStore(path: test.path, ifAbsent: .fail)) {
      TestStore.noon
    }
    let committed = Mutex(0)
    let report = try await Backup(of: test.store, to: path).run { state in
      // Another connection commits while pages are copied.
      guard case .copying = state, committed.withLock({ $0 }) < 3 else { return }
      let isDone = DispatchSemaphore(value: 0)
      let number = committed.withLock { count in
        count += 1
        return count
      }
      Task {
        _ = try? await other.commit(.init(list: .parks, snapshot: .of("a=\(number)")))
        isDone.signal()
      }
      #expect(isDone.isSignalled())
    }
    #expect(committed.withLock { $0 } > 0)
    #expect(report.verification.faults == [])
    // The copy shows the moment of its start.
    let copy = SyncService(store: try SQLiteStore(readingFrom: path)) { TestStore.noon }
    #expect(try await copy.lists().first?.head.cursor?.version == history.head)
    #expect(try await copy.snapshot(of: .parks).snapshot == history.snapshots.last)
    let head = try await service.lists().first?.head.cursor?.version.number
    #expect(head == history.head.number + committed.withLock { $0 })
  }

  @Test func backupOfADamagedStoreMakesNoCopy() async throws {
    let test = try TestStore()
    _ = try await history(test)
    try await test.sql("UPDATE versions SET author = 'Eve' WHERE version = 2")
    let path = test.path + ".copy"
    let report = try await Backup(of: test.store, to: path).run()
    #expect(report.verification.faults.map(\.version) == [Version(2)])
    #expect(try names(beside: path).filter { $0.contains("copy") } == [])
  }

  @Test func backupToAnImpossiblePathLeavesNoFile() async throws {
    let test = try TestStore()
    _ = try await history(test)
    let path = test.path + ".nowhere/copy.db"
    let error = await #expect(throws: StoreError.self) {
      try await Backup(of: test.store, to: path).run()
    }
    guard case .cannotOpen = error else {
      Issue.record("expected .cannotOpen, got \(String(describing: error))")
      return
    }
    let folder = (test.path as NSString).deletingLastPathComponent
    #expect(throws: StoreError.self) { try Backup(of: test.store, to: folder, replaces: true) }
  }
}
