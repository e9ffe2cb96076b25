import Foundation
import GRDB
import ListModel
import ListStore
import SQLiteStore
import Testing

/// A store whose file is replaced or removed while it is open.
@Suite struct ReplacedFileTests {
  /// Puts a copy of the store at its path.
  private func replace(_ folder: StoreFolder) throws {
    let copy = folder.path + ".copy"
    try FileManager.default.copyItem(atPath: folder.path, toPath: copy)
    try #require(rename(copy, folder.path) == 0)
  }

  @Test func writeToAReplacedFileIsRefused() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a"])
    try replace(folder)
    let refusal = await #expect(throws: StoreError.self) { try await store.append(["b"]) }
    #expect(refusal == .replaced(store: folder.path))
  }

  @Test func writeToARemovedFileIsRefused() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try FileManager.default.removeItem(atPath: folder.path)
    let refusal = await #expect(throws: StoreError.self) { try await store.append(["a"]) }
    #expect(refusal == .replaced(store: folder.path))
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  @Test func commitThatOverlapsAFileReplacementIsNotAcknowledged() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    let path = folder.path
    let refusal = await #expect(throws: StoreError.self) {
      try await store.write { writer in
        _ = try writer.createList(ListName("late")!)
        try Data().write(to: URL(fileURLWithPath: path + ".new"))
        rename(path + ".new", path)
      }
    }
    #expect(refusal == .replaced(store: path))
  }

  @Test func dataVersionDetectsAReplacedFileWithoutAWrite() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    _ = try await store.dataVersion()
    try replace(folder)
    await #expect(throws: StoreError.replaced(store: folder.path)) {
      try await store.dataVersion()
    }
  }

  /// Removes the write-ahead log, and copies another store into the same file, as `cp` does.
  private func restore(_ copy: Data, in folder: StoreFolder) throws {
    for suffix in ["-wal", "-shm"] {
      try FileManager.default.removeItem(atPath: folder.path + suffix)
    }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path))
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: copy)
    try file.close()
  }

  /// The bytes of a closed store with one version.
  private func closedStore(in folder: StoreFolder) async throws -> Data {
    try await folder.open().append(["a"])
    return try #require(try folder.bytes()["test.db"])
  }

  @Test func writeToAFileThatAnotherOneWasCopiedIntoIsRefused() async throws {
    let folder = try StoreFolder()
    let copy = try await closedStore(in: folder)
    var store: SQLiteStore? = try folder.open()
    try await store?.append(["b"])
    _ = try await store?.dataVersion()
    try restore(copy, in: folder)
    await #expect(throws: StoreError.replaced(store: folder.path)) {
      try await store?.append(["c"])
    }
    await #expect(throws: StoreError.replaced(store: folder.path)) {
      try await store?.dataVersion()
    }
    // The log of the former file does not go into this one.
    store = nil
    #expect(try folder.bytes()["test.db"] == copy)
  }

  /// The connections that are left must not remove the log of the programs that came after.
  @Test func storeWhoseFileWasReplacedLeavesTheFilesAtItsPathAlone() async throws {
    let folder = try StoreFolder()
    let copy = try await closedStore(in: folder)
    var old: SQLiteStore? = try folder.open()
    try await old?.append(["b"])
    for suffix in ["", "-wal", "-shm"] {
      try FileManager.default.removeItem(atPath: folder.path + suffix)
    }
    try copy.write(to: URL(fileURLWithPath: folder.path))
    let new = try folder.open()
    try await new.append(["c"])
    let files = try folder.bytes()
    await #expect(throws: StoreError.self) { try await old?.append(["d"]) }
    old = nil
    #expect(try folder.bytes() == files)
    try await new.append(["e"])
  }

  @Test func storeThatIsReadWithoutALogIsNeverReplacedByOne() async throws {
    let folder = try StoreFolder()
    _ = try await closedStore(in: folder)
    try await Self.withoutLog(folder.path)
    let reader = try SQLiteStore(readingFrom: folder.path)
    _ = try await reader.dataVersion()
    let writer = try folder.open()
    try await writer.append(["b"])
    _ = try await reader.dataVersion()
  }

  /// A backup has no write-ahead log until it is opened for writing.
  private static func withoutLog(_ path: String) async throws {
    try await DatabaseQueue(path: path).writeWithoutTransaction { db in
      _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
    }
  }

  @Test func writeComparesTheFileTwiceAndAReadNever() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    let before = store.fileComparisonCount
    _ = try await store.read { try $0.tokens() }
    #expect(store.fileComparisonCount == before)
    for _ in 0..<10 { try await store.append(["a"], to: "list") }
    #expect(store.fileComparisonCount == before + 20)
  }

  @Test func storeAcceptsWritesAfterItsFileIsMovedBack() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    rename(folder.path, folder.path + ".away")
    await #expect(throws: StoreError.self) { try await store.append(["a"]) }
    rename(folder.path + ".away", folder.path)
    try await store.append(["a"])
  }
}
