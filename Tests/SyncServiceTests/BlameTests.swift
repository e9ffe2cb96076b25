import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

struct BlameTests {
  private func committing(_ texts: String...) async throws -> TestStore {
    let test = try TestStore()
    for text in texts {
      let item = Item(id: "a", content: try Content(json: text))
      _ = try await test.service.commit(.init(list: .parks, snapshot: try Snapshot([item])))
    }
    return test
  }

  /// `path version changes` of each member; `-` for a pruned version.
  private func lines(_ test: TestStore) async throws -> [String] {
    try await test.service.blame("a", in: .parks).map { path, _, by in
      "\(path) \(by.record.map { "\($0.version)" } ?? "-") \(by.changeCount)"
    }
  }

  @Test func memberHasTheVersionThatLastSetIt() async throws {
    let test = try await committing(
      #"{"x":1,"y":1,"z":{"v":1,"w":1}}"#, #"{"x":2,"y":1,"z":{"v":1,"w":2}}"#,
      #"{"x":3,"y":1,"z":{"v":1,"w":2}}"#, #"{"new":[],"x":3,"y":1,"z":{"v":1,"w":2}}"#)
    #expect(try await lines(test) == ["/new 4 1", "/x 3 2", "/y 1 0", "/z/v 1 0", "/z/w 2 1"])
  }

  @Test func bareStringIsOneMember() async throws {
    let test = try await committing(#""a""#)
    #expect(try await lines(test) == [" 1 0"])
  }

  @Test func itemThatCameBackBeginsAnew() async throws {
    let test = try await committing(#"{"x":1}"#, #"{"x":2}"#)
    _ = try await test.service.commit(.init(list: .parks, snapshot: .empty))
    let item = Item(id: "a", content: try Content(json: #"{"x":2}"#))
    _ = try await test.service.commit(.init(list: .parks, snapshot: try Snapshot([item])))
    #expect(try await lines(test) == ["/x 4 0"])
    #expect(try await test.service.blame(.parks).map(\.by.changeCount) == [0])
  }

  @Test func prunedSetterIsUnknown() async throws {
    let test = try await committing(#"{"x":1,"y":1}"#, #"{"x":2,"y":1}"#, #"{"x":3,"y":1}"#)
    _ = try await test.service.prune(keepLast: 2)
    #expect(try await lines(test) == ["/x 3 1", "/y - 0"])
  }

  /// Objects within objects, which become other values and come back; two names look alike.
  private func randomJSON(_ random: inout SeededRandom, depth: Int = 0) -> String {
    guard depth == 0 || depth < 4 && random.chance(2) else {
      return ["0", "1", "[0]", "[]", "{}"].randomElement(using: &random)!
    }
    let names = ["a", "b", "é", "e\u{301}"].filter { _ in random.chance(2) }
    let members = names.map { "\"\($0)\":\(randomJSON(&random, depth: depth + 1))" }
    return "{\(members.joined(separator: ","))}"
  }

  @Test func blameOfAnItemEqualsAComparisonOfAllItsContents() async throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<20 {
      var contents: [Content] = []
      let test = try TestStore()
      for _ in 0..<12 {
        let content = try Content(json: randomJSON(&random))
        if content == contents.last { continue }
        contents.append(content)
        _ = try await test.service.commit(
          .init(list: .parks, snapshot: try Snapshot([Item(id: "a", content: content)])))
      }
      for (path, value, by) in try await test.service.blame("a", in: .parks) {
        let values = contents.map { ContentView($0).value(at: path)?.content }
        let changes = values.indices.dropFirst().filter { values[$0] != values[$0 - 1] }
        let context = Comment(rawValue: "seed \(random.seed), \(path) of \(contents)")
        #expect(value == values.last, context)
        #expect(by.changeCount == changes.count, context)
        #expect(by.record?.version.number == (changes.last ?? 0) + 1, context)
      }
    }
  }

  @Test func absentAndRemovedItemsAreRefused() async throws {
    let test = try await committing(#"{"x":1}"#)
    _ = try await test.service.commit(.init(list: .parks, snapshot: .empty))
    for id in ["a", "b"] as [ItemID] {
      await #expect(throws: ServiceError.itemAbsent(id, list: .parks, wasRemoved: false, edit: nil))
      {
        try await test.service.blame(id, in: .parks)
      }
    }
  }

  /// Each item's last version and its number of updates, from the snapshots alone.
  private func expected(_ snapshots: [Snapshot]) -> [String] {
    var facts: [ItemID: (version: Int, changes: Int)] = [:]
    for (version, snapshot) in snapshots.enumerated().dropFirst() {
      let before = Dictionary(
        uniqueKeysWithValues: snapshots[version - 1].items.map { ($0.id, $0.content) })
      for item in snapshot.items where before[item.id] != item.content {
        let changes = facts[item.id]?.changes ?? 0
        facts[item.id] = (version, before[item.id] == nil ? 0 : changes + 1)
      }
    }
    return (snapshots.last?.items ?? []).map { item in
      "\(item.id.text) \(facts[item.id]?.version ?? 0) \(facts[item.id]?.changes ?? 0)"
    }
  }

  @Test func blameOfAListEqualsAComparisonOfAllSnapshots() async throws {
    var random = SeededRandom.forThisRun()
    var history = TestHistory(try TestStore())
    for _ in 0..<40 {
      try await history.commitEdits(Int.random(in: 1...6, using: &random), &random)
      let found = try await history.test.service.blame(.parks).map { item, by in
        "\(item.id.text) \(by.record?.version.number ?? 0) \(by.changeCount)"
      }
      #expect(found == expected(history.snapshots), "seed \(random.seed)")
    }
  }
}
