import Foundation
import GRDB
import ListDocuments
import ListModel
import ListStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SQLExport

/// The queries of `Documentation/SQL.md`, with other names and numbers in the place of those of the
/// page, answer like the service. `PageTests` runs the page itself.
struct SQLPageTests {
  @Test func queriesOfARandomHistoryAnswerLikeTheService() async throws {
    var random = SeededRandom.forThisRun()
    var history = TestHistory(try TestStore())
    let exported = try Exported(history.test)
    try await history.commit(try history.newItems(12))
    for _ in 1...20 { try await history.commitEdits(4, &random) }
    let (left, all) = (history.snapshots[20].items, history.snapshots[3].items)
    // Some items leave, and others come back.
    try await history.commit(Array(left.dropFirst(3)))
    try await history.commit(all)
    try await exported.export()
    try await expectAnswers(.parks, exported, member: "/value")
  }

  @Test(.enabled(if: RealList.areThere, Comment(rawValue: RealList.skipNote)))
  func queriesOfARealHistoryAnswerLikeTheService() async throws {
    let list = try #require(RealList.several.first { $0.name == "movies-top250" })
    let exported = try Exported()
    let name = try await exported.commit(list)
    try await exported.export(name)
    try await expectAnswers(name, exported, member: "/rating")
  }

  private func expectAnswers(
    _ list: ListName, _ exported: Exported, member: String
  ) async throws {
    let page = try Page()
    let service = exported.test.service
    let log = try await service.log(of: list).reversed().map { $0 }
    func rows(_ part: String, _ replaced: KeyValuePairs<String, String>) throws -> [Row] {
      let clock = ContinuousClock()
      var found: [Row] = []
      let time = try clock.measure {
        found = try exported.read {
          try Row.fetchAll($0, sql: try page.query(with: part, list, replaced))
        }
      }
      print("SQL.md, \(part): \(found.count) rows of \(list) in \(time)")
      return found
    }

    for version in [1, log.count / 2, log.count] {
      let found = try rows("AS at_index", ["2": "\(version)"]).map { ItemID($0["id"]) }
      let state = try await service.snapshot(of: list, at: .version(Version(version)))
      #expect(found == state.snapshot.items.map(\.id))
    }

    // The clock stands still in the store of this test.
    let firstCount = 10
    let counts = try rows("LIMIT 3) GROUP", ["LIMIT 3": "LIMIT \(firstCount)"])
    #expect(counts.count >= firstCount)
    for row in counts {
      let places = try await service.places(of: ItemID(row["id"]), in: list, first: firstCount)
      let versions = places.runs.reduce(0) {
        $0 + $1.versions.upperBound.number - $1.versions.lowerBound.number + 1
      }
      #expect(row["versions"] == versions)
    }

    let dates =
      [
        "'2026-11-17'": "'0001'", "'2026-11-19'": "'9999'",
      ] as KeyValuePairs
    let changes = try rows("JOIN changes USING", dates)
    let grouped = Dictionary(grouping: changes) { $0["version"] as Int }
    for record in log {
      let found = (grouped[record.version.number] ?? []).map { $0["change"] as String }
      let moved = found.count { $0.hasPrefix("moved") }
      let updated = found.count { $0.hasSuffix("updated") }
      #expect(moved == record.changes.moved && updated == record.changes.updated)
      #expect(found.count { $0 == "inserted" } == record.changes.inserted)
      #expect(found.count { $0 == "removed" } == record.changes.removed)
    }

    let returns = try rows("AS left_in", [:])
    for row in returns.prefix(20) {
      let history = try await service.history(of: ItemID(row["id"]), in: list)
      let (left, back) = (row["left_in"] as Int, row["back_in"] as Int)
      let leaving = try #require(history.first { $0.record.version.number == left })
      let returning = try #require(history.first { $0.record.version.number == back })
      #expect(leaving.to == nil && returning.from == nil && left < back)
    }

    let path = try #require(JSONPointer(member))
    for id in counts.prefix(3).map({ ItemID($0["id"]) }) {
      let found = try rows(
        "WHERE rating IS NOT before",
        ["'$.rating'": "'$.\(member.dropFirst())'", "'alien'": "'\(id.text)'"])
      let history = try await service.history(of: id, in: list)
      let values = history.reversed().map { change in
        (
          change.record.version.number,
          change.newContent.flatMap { ContentView($0).value(at: path)?.scalarText }
        )
      }.filter { $0.1 != nil }
      var expected: [Int] = []
      for (number, value) in values.enumerated()
      where number == 0 || values[number - 1].1 != value.1 { expected.append(value.0) }
      #expect(found.map { $0["since"] as Int } == expected)
    }
  }
}

/// The commands of the page.
private struct Page {
  private let queries: [String]

  struct NoQuery: Error {
    let part: String
  }

  init() throws {
    let url = Project.root.appendingPathComponent("Documentation/SQL.md")
    queries = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("$ sqlite3") }
      .map { $0.split(separator: "\"", maxSplits: 1)[1].dropLast() }.map(String.init)
  }

  /// The query with a part, where `'films'` and other texts are replaced.
  func query(
    with part: String, _ list: ListName, _ replaced: KeyValuePairs<String, String>
  ) throws -> String {
    guard var query = queries.first(where: { $0.contains(part) }) else {
      throw NoQuery(part: part)
    }
    for (old, new) in replaced {
      guard query.contains(old) else { throw NoQuery(part: old) }
      query = query.replacing(old, with: new)
    }
    return query.replacing("'films'", with: "'\(list)'")
  }
}
