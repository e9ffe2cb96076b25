import Foundation
import GRDB
import ListChanges
import ListModel
import RawSQLite
import StoreTestSupport
import TestSupport
import Testing

@testable import SQLExport

/// The rows of versions, without a store.
struct RowAppenderTests {
  /// All histories of three versions over three items, and each item with another content in some.
  @Test func theRowsOfAllShortHistoriesSortByPlaceInEachVersion() throws {
    let lists = try Self.lists(of: ["a", "b", "c"])
    let rows = try Rows()
    var number = 0
    for first in lists {
      for second in lists {
        for third in lists {
          number += 1
          let name = try #require(ListName("l\(number)"))
          try rows.append([first, second, third], as: name)
        }
      }
    }
    #expect(number == 4096)
  }

  @Test func theRowsOfRandomHistoriesSortByPlaceInEachVersion() throws {
    var random = SeededRandom.forThisRun()
    let rows = try Rows()
    for number in 1...20 {
      var ids = (1...Int.random(in: 1...60, using: &random)).map { "\($0)" }
      var versions: [[String]] = []
      for _ in 1...15 {
        ids.shuffle(using: &random)
        let count = Int.random(in: 0...ids.count, using: &random)
        // Mostly sorted, so that few items move.
        var version = ids.prefix(count).sorted()
        if count > 1, Bool.random(using: &random) { version.swapAt(0, count - 1) }
        versions.append(version.map { "\($0)=\(Int.random(in: 0...3, using: &random))" })
      }
      let name = try #require(ListName("r\(number)"))
      try rows.append(try versions.map { try Snapshot.of($0).items }, as: name)
    }
  }

  /// An item moves behind the same one again and again, so that half of the gap is used each time.
  @Test func aRowCostsFewStatementsWhereThereIsNoRoom() throws {
    let rows = try Rows()
    let ids = (0..<200).map { "\($0)" }
    var versions: [[String]] = [ids]
    for round in 0..<1000 {
      versions.append(Array(ids[...99]) + ["x\(round)"] + Array(ids[100...]))
    }
    let before = rows.file.statementCount
    try rows.append(
      try versions.map { try Snapshot.of($0).items }, as: .parks, isChecked: false)
    // An insertion and a removal: 5 of their own, and a share of the 64 places that are spread.
    let count = rows.file.statementCount - before - ids.count
    #expect(count > 5000 && count < 12_000, "\(count) statements for 1000 versions")
    for number in [1, 500, 1001] {
      #expect(try rows.ids(of: .parks, at: number) == versions[number - 1])
    }
  }

  @Test(arguments: [(5, 6), (5, 8)]) func placesNeedRoomBetweenTwoRows(_ ends: (Int64, Int64)) {
    let room = Int(ends.1 - ends.0 - 1)
    #expect(SparsePlaces.between(ends.0, ends.1, count: room + 1) == nil)
    if room > 0 {
      let expected = Array(ends.0 + 1..<ends.1)
      #expect(SparsePlaces.between(ends.0, ends.1, count: room) == expected)
    }
  }

  @Test func placesAreSpreadEvenlyAndEndlesslyAtTheEnds() {
    #expect(SparsePlaces.between(0, 40, count: 3) == [10, 20, 30])
    #expect(SparsePlaces.between(7, nil, count: 2, 10) == [17, 27])
    #expect(SparsePlaces.between(nil, 7, count: 2, 10) == [-13, -3])
    #expect(SparsePlaces.between(nil, nil, count: 2, 10) == [10, 20])
  }

  /// All lists of some of the ids, in every order.
  private static func lists(of ids: [String]) throws -> [[String]] {
    func orders(_ rest: [String]) -> [[String]] {
      [[]] + rest.flatMap { id in orders(rest.filter { $0 != id }).map { [id] + $0 } }
    }
    return orders(ids)
  }
}

/// An export that is written without a store, in one transaction that is never committed.
private final class Rows {
  let folder: URL
  let file: ExportFile

  init() throws {
    folder = try TemporaryFolder.make()
    file = try ExportFile(
      path: folder.appendingPathComponent("history.db").path, busyTimeoutSeconds: 0)
    try file.begin()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Ids of a version whose contents differ from the version before for some.
  func append(_ versions: [[String]], as list: ListName) throws {
    try append(
      try versions.enumerated().map { number, ids in
        try Snapshot.of(ids.map { "\($0)=\(number % 2 * ($0 == "b" ? 0 : 1))" }).items
      }, as: list)
  }

  /// Appends versions, some of them by another appender, as another export does.
  func append(_ versions: [[Item]], as list: ListName, isChecked: Bool = true) throws {
    var appender = try RowAppender(file, list)
    var (before, count): ([Item], Int) = ([], 0)
    for (number, items) in versions.enumerated() {
      if number % 3 == 2, isChecked { appender = try RowAppender(file, list) }
      let changes = try before.changes(to: items)
      try appender.append(changes, at: Version(number + 1))
      count += changes.inserted.count
      count += Set(changes.moved.map(\.to) + changes.updated.map(\.to)).count
      before = items
    }
    guard isChecked else { return }
    for (number, items) in versions.enumerated() {
      try #require(
        try self.items(of: list, at: number + 1) == items, "\(versions) version \(number + 1)")
    }
    #expect(
      try file.integer("SELECT count(*) FROM items WHERE list = ?", [.text(list.text)])
        == Int64(count))
  }

  func items(of list: ListName, at version: Int) throws -> [Item] {
    var items: [Item] = []
    try file.run(
      """
      SELECT id, content FROM items WHERE list = ?1 AND since <= ?2 AND ?2 < until ORDER BY place
      """, [.text(list.text), .integer(Int64(version))]
    ) { items.append(Item(id: ItemID($0.text(0)), content: try Content(json: $0.bytes(1)))) }
    return items
  }

  func ids(of list: ListName, at version: Int) throws -> [String] {
    try items(of: list, at: version).map(\.id.text)
  }
}
