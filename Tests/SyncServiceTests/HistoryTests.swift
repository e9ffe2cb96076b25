import ListStore
import StoreTestSupport
import SyncService
import Testing

@testable import ListModel

@Suite struct HistoryTests {
  private func committing(_ versions: [[String]]) async throws -> TestStore {
    let test = try TestStore()
    for texts in versions {
      _ = try await test.service.commit(.init(list: .parks, snapshot: try .of(texts)))
    }
    return test
  }

  @Test func historyOfAnItemGivesPositionsAndChangedMembers() async throws {
    let test = try await committing([
      ["a", "z"], ["a", "b", "z"], ["z", "a", "b"], ["z=5", "a"], ["b=7", "z=5", "a"],
    ])
    let b = try await test.service.history(of: "b", in: .parks)
    #expect(b.map(\.record.version.number) == [5, 4, 2])
    #expect(b.map(\.from) == [nil, 2, nil])
    #expect(b.map(\.to) == [0, nil, 1])
    #expect(
      b.map { $0.newContent?.description } == [
        #"{"id":"b","value":7}"#, nil, #"{"id":"b","value":0}"#,
      ])
    #expect(b.allSatisfy { $0.memberChanges.isEmpty })

    let z = try await test.service.history(of: "z", in: .parks)
    #expect(z.map(\.record.version.number) == [4, 3, 1])
    #expect(z.map(\.isMove) == [false, true, false])
    #expect(z[1].from == 2 && z[1].to == 0)
    #expect(
      z[0].memberChanges == [
        MemberChange(
          path: JSONPointer("/value")!, old: try Content(json: "0"), new: try Content(json: "5"))
      ])
  }

  @Test func historyOfAnUnknownItemIsRefused() async throws {
    let test = try await committing([["a"]])
    await #expect(throws: ServiceError.noSuchItem("b", list: .parks)) {
      try await test.service.history(of: "b", in: .parks)
    }
  }

  @Test func idsThatDifferByNormalisationAreTwoItems() async throws {
    let composed = "caf\u{E9}"
    let decomposed = "cafe\u{301}"
    let test = try await committing([[composed], [decomposed, composed], [decomposed]])
    let first = try await test.service.history(of: ItemID(composed), in: .parks)
    let second = try await test.service.history(of: ItemID(decomposed), in: .parks)
    #expect(first.map(\.record.version.number) == [3, 1])
    #expect(second.map(\.record.version.number) == [2])
  }

  @Test(arguments: [(1, [3]), (2, [3, 2]), (9, [3, 2, 1])])
  func limitSelectsTheNewestLogEntries(limit: Int, versions: [Int]) async throws {
    let test = try await committing([["a"], ["b"], ["c"]])
    let log = try await test.service.log(of: .parks, limit: limit)
    #expect(log.map(\.version.number) == versions)
  }

  @Test func replayRunsForwardsAndBackwards() async throws {
    let test = try await committing([["a"], ["a", "b"], ["b"]])
    for (from, to, expected) in [(0, 3, [1, 2, 3]), (3, 1, [2, 1]), (2, 2, [])] {
      var seen: [Int] = []
      try await test.service.replay(
        .parks, from: .version(Version(from)), to: .version(Version(to))
      ) { delta in
        seen.append(delta.to.cursor?.version.number ?? -1)
      }
      #expect(seen == expected)
    }
  }

  /// A store that begins each reading again, as one on a server does that loses its connection.
  private struct RepeatingStore: WrappingStore {
    let store: any ListStore

    func read<Result: Sendable>(
      _ body: @Sendable (ListReader) throws -> Result
    ) async throws -> Result {
      _ = try await store.read(body)
      return try await store.read(body)
    }
  }

  /// A former fault: each entry came twice after a lost connection.
  @Test(arguments: [1, 2, .max])
  func historyThatIsReadAgainHasEachEntryOnce(_ limit: Int) async throws {
    let test = try await committing([["a"], ["a=1"], ["a=2"]])
    let service = SyncService(store: RepeatingStore(store: test.store)) { TestStore.noon }
    let entries = try await service.history(of: "a", in: .parks, limit: limit)
    #expect(entries.map(\.record.version.number) == Array([3, 2, 1].prefix(limit)))
  }
}
