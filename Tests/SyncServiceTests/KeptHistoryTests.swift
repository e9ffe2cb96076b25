import ListDocuments
import ListModel
import StoreTestSupport
import SyncService
import Testing

/// A list's history beside cursors that were kept elsewhere, and proofs of its items.
@Suite struct KeptHistoryTests {
  private static func stores() async throws -> (honest: TestStore, other: TestStore) {
    let (honest, other) = (try TestStore(), try TestStore())
    for (version, texts) in [["a"], ["a", "b"], ["b"], ["b=1"]].enumerated() {
      try await honest.commit(texts)
      // Version 3 has another content.
      try await other.commit(version == 2 ? ["b=7"] : texts)
    }
    return (honest, other)
  }

  @Test func everyKeptCursorOfAHistoryIsInIt() async throws {
    let (honest, _) = try await Self.stores()
    let kept = try await honest.service.log(of: .parks).map(\.cursor)
    #expect(try await honest.service.compare(kept, withHistoryOf: .parks) == 4)
    let short = try #require(Cursor(given: "4-\(kept[0].chainPrefix.prefix(8))"))
    #expect(try await honest.service.compare([short], withHistoryOf: .parks) == 1)
  }

  @Test func theFirstVersionThatDiffersIsNamedAsFarAsCursorsWereKept() async throws {
    let (honest, other) = try await Self.stores()
    let kept = try await honest.service.log(of: .parks).map(\.cursor)
    let here = try await other.service.log(of: .parks).map(\.cursor)
    let cases: [([Int], version: Int, after: Int)] = [
      ([1, 2, 3, 4], 3, 2), ([4], 4, 0), ([1, 4], 4, 1), ([3], 3, 0), ([4, 3, 2, 1], 3, 2),
    ]
    for (versions, version, after) in cases {
      await #expect(
        throws: Divergence.otherCursor(
          here[4 - version], kept: kept[4 - version], after: Version(after)), "\(versions)"
      ) {
        try await other.service.compare(
          versions.map { kept[4 - $0] }, withHistoryOf: .parks)
      }
    }
    #expect(try await other.service.compare([kept[3], kept[2]], withHistoryOf: .parks) == 2)
  }

  @Test func aHistoryThatEndsBeforeAKeptVersionIsRefused() async throws {
    let (honest, _) = try await Self.stores()
    let kept = try await honest.service.log(of: .parks).map(\.cursor)
    let restored = try TestStore()
    for texts in [["a"], ["a", "b"]] { try await restored.commit(texts) }
    await #expect(throws: Divergence.ends(before: kept[1])) {
      try await restored.service.compare(kept, withHistoryOf: .parks)
    }
  }

  @Test func cursorsOfPrunedVersionsAreLeftOutUnlessThereIsNoOther() async throws {
    let (honest, _) = try await Self.stores()
    let kept = try await honest.service.log(of: .parks).map(\.cursor)
    let rule = try #require(RetentionRule(keepLast: 2))
    _ = try await honest.service.prune(PruneRequest(list: .parks, rule: rule))
    #expect(try await honest.service.compare(kept, withHistoryOf: .parks) == 2)
    await #expect(throws: Divergence.pruned(kept[2])) {
      try await honest.service.compare([kept[3], kept[2]], withHistoryOf: .parks)
    }
  }

  // MARK: Proofs

  @Test func everyItemIsProvedAtEveryVersionUpToEveryLaterOne() async throws {
    let (honest, other) = try await Self.stores()
    let cursors = try await honest.service.log(of: .parks).reversed().map(\.cursor)
    for version in 1...4 {
      let (_, snapshot) = try await honest.service.snapshot(
        of: .parks, at: .version(Version(version)))
      for (index, item) in snapshot.items.enumerated() {
        for last in version...4 {
          let proof = try await honest.service.prove(
            itemAmong: [item.id],
            of: ListRevision(.parks, .version(Version(version))), until: .version(Version(last)))
          let read = try ListProof(proof.encoded())
          try read.check(against: cursors[last - 1])
          #expect(read == proof && read.item == item && read.index == index)
          #expect(read.laterStates.count == last - version)
        }
      }
    }
    let foreign = try await other.service.prove(
      itemAmong: ["b"], of: ListRevision(.parks, .head))
    #expect(throws: ProofError.self) { try foreign.check(against: cursors[3]) }
  }

  @Test func absentItemsAndEarlierEndsAreRefusedByName() async throws {
    let (honest, _) = try await Self.stores()
    let cursors = try await honest.service.log(of: .parks).reversed().map(\.cursor)
    await #expect(
      throws: ServiceError.itemAbsent("a", list: .parks, wasRemoved: false, edit: nil)
    ) { try await honest.service.prove(itemAmong: ["a"], of: ListRevision(.parks, .head)) }
    await #expect(
      throws: ServiceError.endsBefore(list: .parks, from: cursors[3], to: cursors[1])
    ) {
      try await honest.service.prove(
        itemAmong: ["b"], of: ListRevision(.parks, .head), until: .version(Version(2)))
    }
  }
}
