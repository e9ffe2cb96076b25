import ListChanges
import ListDocuments
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import TestSupport
import Testing

@testable import SyncService

@Suite struct CatchUpTests {
  /// A history with returning ids, reversals, returning contents, and an empty version.
  private func history(_ random: inout SeededRandom, count: Int) throws -> [Snapshot] {
    var snapshots: [Snapshot] = [.empty]
    for round in 1...count {
      let ids = (0..<8).map { "i\($0)" }.shuffled(using: &random)
      let kept = round % 9 == 0 ? [] : ids.prefix(Int.random(in: 1...8, using: &random))
      let ordered = round % 3 == 0 ? kept.sorted() : Array(kept)
      let texts = ordered.map { "\($0)=\(Int.random(in: 0...2, using: &random))" }
      let snapshot = try Snapshot.of(texts)
      if snapshot != snapshots.last { snapshots.append(snapshot) }
    }
    return snapshots
  }

  @Test func deltaOfAnyTwoVersionsIsTheirCanonicalChangeSet() async throws {
    var random = SeededRandom.forThisRun()
    let snapshots = try history(&random, count: 24)
    let test = try TestStore()
    for snapshot in snapshots.dropFirst() {
      _ = try await test.service.commit(.init(list: .parks, snapshot: snapshot))
    }
    for (from, old) in snapshots.enumerated() {
      for (to, new) in snapshots.enumerated() {
        let context = Comment(rawValue: "seed \(random.seed), \(from) to \(to)")
        let delta = try await test.service.delta(
          of: .parks, since: .version(Version(from)), to: .version(Version(to)))
        #expect(delta.changes == old.changes(to: new), context)
        #expect(delta.changes.moved.allSatisfy { $0.id == old.items[$0.from].id }, context)
        let document = try DeltaDocument(DeltaDocument(delta).encoded())
        let result = try document.applied(to: old)
        #expect(SnapshotDocument.encode(result) == SnapshotDocument.encode(new), context)
      }
    }
  }

  @Test func composedStepsEqualComparedSnapshots() async throws {
    var random = SeededRandom.forThisRun()
    let snapshots = try history(&random, count: 12)
    let test = try TestStore()
    for snapshot in snapshots.dropFirst() {
      _ = try await test.service.commit(.init(list: .parks, snapshot: snapshot))
    }
    let last = snapshots.count - 1
    try await test.store.read { reader in
      let list = try reader.existingList(.parks)
      for from in 0...last {
        for to in 0...last where from != to {
          let composed = try reader.composedChanges(
            of: list, from: Version(from), to: Version(to))
          let compared = try reader.comparedChanges(
            of: list, from: Version(from), to: Version(to))
          #expect(composed == compared, "\(from) to \(to)")
        }
      }
    }
  }

  @Test(arguments: [
    // A few changes in a long list: never read the list.
    (1, 2, 0, 20_000, DeltaRoute.Way.steps), (8, 100, 10_000, 20_000, .steps),
    // A short list that changed completely, many times: never compose the changes.
    (100, 25_000, 250, 500, .snapshots),
    // One step is the answer itself; beyond that, the rebuilt list may be long.
    (1, 100, 100, 0, .steps), (2, 100, 99, 0, .snapshots), (2, 100, 100, 0, .steps),
    // A quarter of a row for each item.
    (2, 100, 0, 799, .snapshots), (2, 100, 0, 800, .steps),
  ])
  func catchUpChoosesTheCheaperRoute(
    steps: Int, changes: Int, replayed: Int, items: Int, way: DeltaRoute.Way
  ) {
    #expect(
      DeltaRoute.cheaper(
        .steps(stepCount: steps, changeCount: changes),
        .snapshots(replayedCount: replayed, itemCount: items)
      ).way == way)
  }

  /// A content that returns has another key than before.
  @Test func contentThatReturnsIsNotAnUpdate() async throws {
    let test = try TestStore()
    for value in [0, 1, 2, 3, 1] {
      _ = try await test.service.commit(
        .init(list: .parks, snapshot: try .of("a=\(value)", "b")))
    }
    let texts = try await test.store.read { try $0.loggedChanges(of: .parks).compactMap(\.text) }
    #expect(texts.count { $0.hasSuffix("\"value\":1}") } == 2, "the test needs equal contents")
    for (since, to) in [(2, 5), (5, 2), (1, 5), (2, 4)] {
      let delta = try await test.service.delta(
        of: .parks, since: .version(Version(since)), to: .version(Version(to)))
      #expect(delta.changes.updated.count == (since + to == 7 ? 0 : 1), "\(since) to \(to)")
    }
    #expect(try await test.service.verify(depth: .everything).faults == [])
  }

  @Test func aDeltaFromAVersionToItselfIsEmpty() async throws {
    let test = try TestStore()
    _ = try await test.service.commit(.init(list: .parks, snapshot: try .of("a", "b")))
    for version in [0, 1] {
      let revision = Revision.version(Version(version))
      let delta = try await test.service.delta(of: .parks, since: revision, to: revision)
      #expect(delta.changes.isEmpty)
      #expect(delta.from == delta.to)
    }
  }

  @Test func cursorOfAnotherHistoryIsReportedAsDiverged() async throws {
    let (test, other) = (try TestStore(), try TestStore())
    _ = try await test.service.commit(.init(list: .parks, snapshot: try .of("a")))
    for texts in [["b"], ["c"], ["d"]] {
      _ = try await other.service.commit(.init(list: .parks, snapshot: try .of(texts)))
    }
    let here = try #require(try await test.service.lists().first?.head.cursor)
    for record in try await other.service.log(of: .parks) {
      await #expect(
        throws: ServiceError.diverged(record.cursor, list: .parks, here: here)
      ) { try await test.service.delta(of: .parks, since: .cursor(record.cursor)) }
    }
  }

  @Test func errorOfAMissingVersionListsTheExistingVersions() async throws {
    let test = try TestStore()
    _ = try await test.service.commit(.init(list: .parks, snapshot: try .of("a")))
    await #expect(
      throws: ServiceError.noSuchVersion(
        "2", list: .parks, oldest: Version(1), head: Version(1))
    ) { try await test.service.delta(of: .parks, since: .version(Version(2))) }
    await #expect(throws: ServiceError.noSuchList(ListName("films")!)) {
      try await test.service.delta(of: ListName("films")!, since: .head)
    }
  }
}
