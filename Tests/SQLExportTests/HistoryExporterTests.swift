import Foundation
import GRDB
import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SQLExport

struct HistoryExporterTests {
  private static let five = [["a"], ["a", "b"], ["b", "a=1"], ["c", "b"], ["b", "c=2", "a"]]

  @Test func allVersionsAreInTheExportWithTheirHeaders() async throws {
    let exported = try Exported()
    for texts in Self.five { try await exported.commit(texts) }
    let outcome = try await exported.export()
    #expect(outcome.versionCount == 5)
    // a, b, a moved and updated, c, c moved and updated, a again
    #expect(outcome.rowCount == 6)
    try await exported.expectAllVersions()
  }

  /// Each round commits, perhaps prunes, and exports with another limit of rows.
  @Test func appendingGivesTheSameRowsAsExportingAtOnce() async throws {
    var random = SeededRandom.forThisRun()
    var history = TestHistory(try TestStore())
    let (appended, fresh) = (try Exported(history.test), try Exported(history.test))
    try await history.commit(try history.newItems(20))
    for round in 1...12 {
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        try await history.commitEdits(.random(in: 1...12, using: &random), &random)
      }
      try await appended.export(rowLimit: .random(in: 1...30, using: &random))
      if round % 4 == 0 { try await appended.prune(keepLast: .random(in: 2...6, using: &random)) }
      try await appended.export()
      try await appended.expectAllVersions()
      try await fresh.export(replacing: true)
      #expect(try appended.rows() == fresh.rows(), "seed \(random.seed)")
    }
  }

  @Test func exportingAgainWritesNothing() async throws {
    let exported = try Exported()
    try await exported.commit(["a"], ["b", "a"])
    try await exported.export()
    let before = try Data(contentsOf: URL(fileURLWithPath: exported.path))
    let outcome = try await exported.export()
    #expect(outcome.versionCount == 0 && outcome.rowCount == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: exported.path)) == before)
  }

  /// The shell of SQLite ends a text there, the file does not.
  @Test func anIDWithANullByteIsWhole() async throws {
    let exported = try Exported()
    let item = Item(id: ItemID("a\u{0}b"), content: try Content(json: #""a\u0000b""#))
    var request = CommitRequest(list: .parks, snapshot: try Snapshot([item]))
    request.message = "one\u{0}two"
    _ = try await exported.test.service.commit(request)
    try await exported.export()
    let row = try exported.read {
      try Row.fetchOne($0, sql: "SELECT hex(id), hex(message), content FROM items, versions")
    }
    #expect(row?[0] == "610062" && row?[1] == "6F6E650074776F" && row?[2] == #""a\u0000b""#)
  }

  @Test func aListWithoutVersionsHasNoRows() async throws {
    let exported = try Exported()
    try await exported.commit(["a"], [])
    try await exported.export()
    try await exported.expectAllVersions()
    #expect(try exported.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM head") } == 0)
  }

  /// One version more costs a number for each item, and statements for its changes alone.
  @Test func appendingAVersionRunsStatementsForItsChangesAlone() async throws {
    var history = TestHistory(try TestStore())
    let exported = try Exported(history.test)
    var items = try history.newItems(2000)
    try await history.commit(items)
    try await exported.export()
    items.swapAt(0, 1000)
    items[5] = try TestHistory.item(items[5].id.text, 7)
    items.remove(at: 1500)
    try await history.commit(items)
    let exporter = try exported.exporter()
    let before = exporter.statementCount
    let outcome = try await exporter.export(.parks)
    #expect(outcome.rowCount == 3)
    #expect(exporter.statementCount - before < 30)
    try await exported.expectAllVersions()
  }

  @Test func listsAreExportedToOneFile() async throws {
    let exported = try Exported()
    try await exported.commit(["a"], ["b", "a"])
    let films = try #require(ListName("films"))
    for texts in [["x", "y"], ["y", "x"], ["y", "a"]] {
      _ = try await exported.test.service.commit(
        CommitRequest(list: films, snapshot: try .of(texts)))
    }
    try await exported.export()
    try await exported.export(films)
    try await exported.commit(["c", "b"])
    try await exported.export(replacing: true)
    try await exported.expectAllVersions()
    try await exported.expectAllVersions(films)
  }

  // MARK: Other histories

  @Test func anotherHistoryIsRefusedUnlessItReplacesTheOne() async throws {
    let (exported, other) = (try Exported(), try Exported())
    try await exported.commit(["a"], ["a", "b"])
    try await exported.export()
    try await other.commit(["a"], ["b"])
    try FileManager.default.copyItem(atPath: exported.path, toPath: other.path)
    let before = try other.rows()
    let error = await #expect(throws: ExportError.self) { try await other.export() }
    guard case .diverged(.parks, other.path, _, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try other.rows() == before)
    try await other.export(replacing: true)
    try await other.expectAllVersions()
  }

  @Test func anExportThatEndsBeforeThePrunedVersionsIsRefused() async throws {
    let exported = try Exported()
    try await exported.commit(["a"], ["a", "b"])
    try await exported.export()
    try await exported.commit(["b"], ["c"])
    try await exported.prune(keepLast: 1)
    let error = await #expect(throws: ExportError.self) { try await exported.export() }
    guard case .pruned(.parks, exported.path, _, oldest: Version(4)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try await exported.export(replacing: true)
    try await exported.expectAllVersions()
  }

  @Test func rowsThatSomebodyRemovedAreReported() async throws {
    let exported = try Exported()
    try await exported.commit(["a", "b"])
    try await exported.export()
    try await DatabaseQueue(path: exported.path).write {
      try $0.execute(sql: "DELETE FROM items WHERE id = 'a'")
    }
    try await exported.commit(["a"])
    await #expect(throws: ExportError.damaged(.parks, path: exported.path)) {
      try await exported.export()
    }
    try await exported.export(replacing: true)
    try await exported.expectAllVersions()
  }

  @Test func nothingOfPrunedVersionsIsLeftInTheFile() async throws {
    let exported = try Exported()
    try await exported.commit((1...500).map { "secret\($0)" } + ["a"], ["a"], ["b"])
    try await exported.export()
    func hasSecret() throws -> Bool {
      try Data(contentsOf: URL(fileURLWithPath: exported.path)).range(of: Data("secret".utf8))
        != nil
    }
    #expect(try hasSecret())
    try await exported.prune(keepLast: 2)
    #expect(try await exported.export().prunedCount == 1)
    #expect(try !hasSecret())
    try await exported.expectAllVersions()
  }

  // MARK: Other files

  @Test(arguments: ["CREATE TABLE t (a)", "PRAGMA application_id = 7"])
  func theDatabaseOfAnotherProgramIsRefused(_ sql: String) async throws {
    let exported = try Exported()
    try await exported.commit(["a"])
    try await DatabaseQueue(path: exported.path).write { try $0.execute(sql: sql) }
    try await exported.expectRefusal(.notAnExport(path: exported.path))
  }

  @Test func aFileThatIsNoDatabaseIsRefused() async throws {
    let exported = try Exported()
    try await exported.commit(["a"])
    try Data("a text that is long enough to be one".utf8)
      .write(to: URL(fileURLWithPath: exported.path))
    try await exported.expectRefusal(.notAnExport(path: exported.path))
  }

  @Test func anExportOfANewerFormatIsRefused() async throws {
    let exported = try Exported()
    try await exported.commit(["a"])
    try await exported.export()
    try await DatabaseQueue(path: exported.path).write {
      try $0.execute(sql: "PRAGMA user_version = 2")
    }
    try await exported.expectRefusal(.newer(path: exported.path, format: 2))
  }

  /// A killed export leaves a file without a byte.
  @Test func anEmptyFileBecomesAnExport() async throws {
    let exported = try Exported()
    try await exported.commit(["a"])
    try Data().write(to: URL(fileURLWithPath: exported.path))
    try await exported.export()
    try await exported.expectAllVersions()
  }

  // MARK: Readers and writers

  @Test func readersSeeTheExportBeforeUntilTheNextOneIsComplete() async throws {
    let exported = try Exported()
    try await exported.commit(["a"])
    try await exported.export()
    try await exported.commit(["a", "b"], ["b", "a"])
    try await exported.export { version in
      let newest = try? exported.read {
        try Int.fetchOne($0, sql: "SELECT max(version) FROM versions")
      }
      #expect(newest == 1, "while version \(version) is written")
    }
    try await exported.expectAllVersions()
  }

  @Test func aSecondWriterIsToldThatTheFileIsInUse() async throws {
    let exported = try Exported()
    try await exported.commit(["a"])
    try await exported.export()
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: exported.path, configuration: configuration)
    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    await #expect(throws: ExportError.busy(path: exported.path)) { try await exported.export() }
    try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    try await exported.export()
  }
}

extension Exported {
  /// The export is refused, and the file stays as it is.
  fileprivate func expectRefusal(_ expected: ExportError) async throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    await #expect(throws: expected) { try await export() }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }
}

/// Real lists: each version is read out of the export.
@Suite(.enabled(if: RealList.areThere, Comment(rawValue: RealList.skipNote)))
struct RealExportTests {
  @Test(arguments: RealList.several + RealList.single)
  func allVersionsOfARealListAreInTheExport(list: RealList) async throws {
    let exported = try Exported()
    let name = try await exported.commit(list) { version, name in
      // Some versions are appended, and others written together.
      if version % 5 == 1 { try await exported.export(name) }
    }
    try await exported.export(name)
    try await exported.expectAllVersions(name)
    let counts = try await exported.test.service.log(of: name).map(\.changes)
    let rowCount = try exported.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM items") }
    let highest = counts.reduce(0) { $0 + $1.inserted + $1.moved + $1.updated }
    let lowest = counts.reduce(0) { $0 + $1.inserted + max($1.moved, $1.updated) }
    #expect((lowest...highest).contains(try #require(rowCount)))
  }
}
