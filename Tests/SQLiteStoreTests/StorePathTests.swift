import Foundation
import GRDB
import ListModel
import TestSupport
import Testing

@testable import ListStore
@testable import SQLiteStore

/// Names of stores: the checks examine the same file that SQLite opens.
@Suite struct StorePathTests {
  /// A folder with another program's database and a name for it.
  private struct Place {
    let folder = try! TemporaryFolder.make()
    var path: String { folder.appendingPathComponent("mine.sqlite").path }

    init() throws {
      try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t (a)") }
    }

    func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }
    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }
    func remove() { try? FileManager.default.removeItem(at: folder) }
  }

  @Test(arguments: ["mine.sqlite/", "nodir/../mine.sqlite", "./mine.sqlite", ".//mine.sqlite"])
  func databaseOfAnotherProgramIsRefusedUnderAnyName(name: String) throws {
    let place = try Place()
    defer { place.remove() }
    let (bytes, names) = (try place.bytes(), try place.names())
    let path = place.folder.path + "/" + name
    for absence in [SQLiteStore.Absence.create, .fail] {
      #expect(throws: StoreError.self) { try SQLiteStore(path: path, ifAbsent: absence) }
    }
    #expect(throws: StoreError.self) { try SQLiteStore(readingFrom: path) }
    #expect(try place.bytes() == bytes)
    #expect(try place.names() == names)
  }

  @Test(arguments: [
    ":memory:", "file:x?mode=memory", "a b", "what?", "x#y", "100%", "%41", "é", "e\u{301}",
    "'\"\\",
  ])
  func storeTreatsEveryNameAsAFileName(name: String) async throws {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.path + "/" + name
    try await SQLiteStore(path: path, ifAbsent: .create).append(["a"])
    #expect(try await SQLiteStore(readingFrom: path).read { try $0.lists().count } == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [name])
  }

  @Test func relativeNameResolvesToAFileInTheCurrentFolder() throws {
    let path = try StorePath(":memory:", ifAbsent: .create)
    #expect(path.resolved == URL(fileURLWithPath: ".").standardizedFileURL.path + "/:memory:")
    #expect(!path.isThere)
  }

  @Test(arguments: ["", "folder", "folder/", ".", "fifo", "dangling", "loop", "linked", "other"])
  func pathThatDoesNotNameOneRegularFileIsRefused(name: String) throws {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = FileManager.default
    let place = folder.path + "/"
    try files.createDirectory(atPath: place + "folder", withIntermediateDirectories: false)
    mkfifo(place + "fifo", 0o600)
    symlink("nowhere", place + "dangling")
    symlink("loop", place + "loop")
    _ = files.createFile(atPath: place + "linked", contents: Data())
    link(place + "linked", place + "other")
    let before = try files.subpathsOfDirectory(atPath: folder.path).sorted()
    let path = name.isEmpty ? "" : place + name
    for absence in [SQLiteStore.Absence.create, .fail] {
      let error = #expect(throws: StoreError.self) {
        try SQLiteStore(path: path, ifAbsent: absence)
      }
      guard case .cannotOpen(path, _) = error else {
        Issue.record("expected .cannotOpen, got \(String(describing: error))")
        continue
      }
    }
    #expect(try files.subpathsOfDirectory(atPath: folder.path).sorted() == before)
  }

  @Test func nameTooLongForItsWriteAheadLogIsRefusedWithoutAFile() async throws {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let longest = String(repeating: "x", count: 247)
    try await SQLiteStore(path: "\(folder.path)/\(longest)", ifAbsent: .create).append(["a"])
    #expect(throws: StoreError.self) {
      try SQLiteStore(path: "\(folder.path)/\(longest)y", ifAbsent: .create)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [longest])
  }

  @Test func linkOpensItsStoreAndTheWriteAheadLogIsBesideTheTarget() async throws {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (store, link) = (folder.path + "/store.db", folder.path + "/link.db")
    try await SQLiteStore(path: store, ifAbsent: .create).append(["a"])
    symlink("store.db", link)
    let opened = try SQLiteStore(path: link, ifAbsent: .fail)
    try await opened.append(["a", "b"])
    #expect(FileManager.default.fileExists(atPath: store + "-wal"))
    #expect(!FileManager.default.fileExists(atPath: link + "-wal"))
    #expect(try await SQLiteStore(readingFrom: store).read { try $0.lists()[0].head.number } == 2)
  }
}
