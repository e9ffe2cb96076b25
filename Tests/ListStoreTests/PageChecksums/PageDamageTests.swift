import Foundation
import GRDB
import GRDBSQLite
import TestSupport
import Testing

@testable import ListStore

@Suite struct PageDamageTests {
  private static let pageByteCount = 4096

  /// A store with rows, indexes, long values and free pages, closed.
  private func storeWithFreePages() async throws -> StoreFolder {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append((0..<300).map { "item-\($0)" })
    try await store.write { writer in
      guard let reader = writer as? SQLiteReader else { return }
      try reader.db.execute(
        sql: """
          UPDATE lists SET id_rule = '\(String(repeating: "x", count: 30_000))';
          CREATE TABLE spare (x); INSERT INTO spare VALUES (zeroblob(20000)); DROP TABLE spare
          """)
    }
    return folder
  }

  private func alter(_ folder: StoreFolder, _ body: (inout Data) -> Void) throws {
    var data = try Data(contentsOf: URL(fileURLWithPath: folder.path))
    body(&data)
    try data.write(to: URL(fileURLWithPath: folder.path))
  }

  /// What the store says of itself: why it does not open, or what is wrong with the file.
  private func complaints(_ folder: StoreFolder) async throws -> [String] {
    do {
      let store = try SQLiteStore(readingFrom: folder.path)
      return try await store.read { try $0.integrityProblems() }
    } catch StoreError.corrupt(let reason) {
      return [reason]
    }
  }

  @Test("a bit that is flipped in any page is an error that names the page")
  func anyPage() async throws {
    var random = SeededRandom.forThisRun()
    let folder = try await storeWithFreePages()
    #expect(try await complaints(folder) == [])
    let free = try folder.rows("PRAGMA freelist_count")[0][0].flatMap { Int($0) } ?? 0
    #expect(free >= 5)
    let whole = try #require(try folder.bytes()["test.db"])
    let pageCount = whole.count / Self.pageByteCount
    for page in 1...pageCount {
      // The first bytes of the first page tell whether it is a database at all.
      let place = Int.random(in: (page == 1 ? 100 : 0)..<4096, using: &random)
      let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
      try alter(folder) { $0[(page - 1) * 4096 + place] ^= bit }
      let (first, last) = ((page - 1) * 4096, page * 4096 - 1)
      let complaints = try await complaints(folder)
      #expect(
        complaints.count == 1
          && complaints[0].hasPrefix("page \(page) (bytes \(first) to \(last))"),
        "page \(page), byte \(place), bit \(bit), seed \(random.seed): \(complaints)")
      try whole.write(to: URL(fileURLWithPath: folder.path))
    }
  }

  @Test("a bit that is flipped in the header never lets the store open")
  func header() async throws {
    let folder = try await storeWithFreePages()
    for bit in 0..<DatabaseHeader.byteCount * 8 {
      try alter(folder) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
      #expect(throws: StoreError.self, "byte \(bit / 8), bit \(bit % 8)") {
        try SQLiteStore(readingFrom: folder.path)
      }
      try alter(folder) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
    }
  }

  @Test("pages that are zeroed, exchanged or cut off are told as ranges")
  func manyPages() async throws {
    let folder = try await storeWithFreePages()
    let whole = try #require(try folder.bytes()["test.db"])
    let last = whole.count / 4096
    try alter(folder) {
      $0.replaceSubrange((last - 3) * 4096..<last * 4096, with: Data(count: 3 * 4096))
    }
    #expect(try await complaints(folder).map { $0.prefix(8) } == ["pages \(last - 2)"])
    try alter(folder) { data in
      data = whole
      let (one, other) = (data.suffix(2 * 4096).prefix(4096), data.suffix(4096))
      data.replaceSubrange((last - 2) * 4096..<last * 4096, with: other + one)
    }
    #expect(try await complaints(folder).map { $0.prefix(8) } == ["pages \(last - 1)"])
    try alter(folder) { $0 = whole.prefix(whole.count - 100) }
    let complaints = try await complaints(folder)
    #expect(complaints.count == 1, "\(complaints)")
  }

  @Test("a page that another program writes is told as damaged, and reading it is not")
  func anotherProgram() async throws {
    let folder = try await storeWithFreePages()
    let count = try await DatabaseQueue(path: folder.path).read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM change_log")
    }
    #expect(count == 300)
    #expect(try await complaints(folder) == [])
    try folder.sqlOfAnotherProgram("UPDATE lists SET id_rule = NULL")
    let complaints = try await complaints(folder)
    #expect(!complaints.isEmpty && complaints.allSatisfy { $0.hasPrefix("page") })
  }

  @Test("a copy has its checksums, however small the memory it is made with")
  func copies() async throws {
    let folder = try await storeWithFreePages()
    let path = folder.path + ".copy"
    try await folder.open(.fail).copy(to: path) { _, _ in }
    let copy = try SQLiteStore(readingFrom: path)
    #expect(try await copy.read { try $0.integrityProblems() } == [])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path))[20] == 8)
  }

  @Test(
    "a path may hold any character",
    arguments: ["a b", "what?", "x#y", "100%", "%41", "é", "e\u{301}", "a&b=c", "file:z", "'\"\\"])
  func paths(name: String) async throws {
    let folder = try StoreFolder()
    let path = (folder.path as NSString).deletingLastPathComponent + "/" + name
    try await SQLiteStore(path: path, ifAbsent: .create).append(["a"])
    #expect(try await SQLiteStore(readingFrom: path).read { try $0.lists().count } == 1)
    #expect(try folder.bytes().keys.sorted() == [name])
  }

  @Test("other databases of the same process are left alone")
  func others() async throws {
    let folder = try await storeWithFreePages()
    #expect(String(cString: sqlite3_vfs_find(nil).pointee.zName) != ChecksumVFS.name)
    let path = folder.path + ".other"
    try await DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE x (y)") }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path))[20] == 0)
  }
}
