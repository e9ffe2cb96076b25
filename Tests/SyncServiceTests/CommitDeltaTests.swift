import ListChanges
import ListDocuments
import ListModel
import ListStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@Suite struct CommitDeltaTests {
  private func request(_ delta: Delta) -> CommitRequest {
    CommitRequest(
      list: .parks, .changes(BareChanges(delta.changes), from: delta.from, to: delta.to))
  }

  /// A history in one store, transferred to another delta by delta.
  @Test func listCommittedByDeltasHasTheSameChain() async throws {
    var random = SeededRandom.forThisRun()
    let (first, second) = (try TestStore(), try TestStore())
    for round in 0..<40 {
      let ids = (0..<12).map { "i\($0)" }.shuffled(using: &random)
      let texts = ids.prefix(Int.random(in: 0...12, using: &random)).map {
        "\($0)=\(Int.random(in: 0...2, using: &random))"
      }
      let outcome = try await first.service.commit(
        .init(list: .parks, snapshot: try .of(Array(texts))))
      guard case .committed(let record) = outcome else { continue }
      let delta = try await first.service.delta(of: .parks, since: .head(back: 1))
      let followed = try await second.service.commit(request(delta))
      #expect(followed == .committed(record), "seed \(random.seed), round \(round)")
    }
    #expect(try await second.service.verify(depth: .everything).faults == [])
    #expect(try await first.service.lists() == second.service.lists())
  }

  @Test func repeatedDeltaChangesNothing() async throws {
    let test = try TestStore()
    _ = try await test.service.commit(.init(list: .parks, snapshot: try .of("a", "b")))
    let preview = try await test.service.preview(
      CommitRequest(list: .parks, snapshot: try .of("b", "c")))
    guard case .committed(let record) = try await test.service.commit(request(preview)) else {
      Issue.record("nothing was committed")
      return
    }
    #expect(try await test.service.commit(request(preview)) == .found(record, isOwn: true))
    #expect(try await test.service.log(of: .parks).count == 2)
  }

  @Test func previewRefusesAFirstDeltaWithAWrongTarget() async throws {
    let test = try TestStore()
    let snapshot = try Snapshot.of("a", "b")
    let changes = BareChanges(Snapshot.empty.changes(to: snapshot))
    let right = CommitRequest(
      list: .parks, .changes(changes, from: .zero, to: ListState(of: snapshot)))
    #expect(try await test.service.preview(right).to == ListState(of: snapshot))
    let wrong = CommitRequest(
      list: .parks, .changes(changes, from: .zero, to: ListState(of: try .of("a"))))
    let previews: [(CommitRequest) async throws -> Delta] = [
      { try await test.service.preview($0) }, { try SyncService.previewWithoutStore($0) },
    ]
    for preview in previews {
      await #expect {
        try await preview(wrong)
      } throws: { error in
        if case .misfit? = error as? ServiceError { true } else { false }
      }
    }
    #expect(try await test.service.lists().isEmpty)
  }

  @Test func deltaThatDoesNotStartAtTheHeadIsRefused() async throws {
    let test = try TestStore()
    _ = try await test.service.commit(.init(list: .parks, snapshot: try .of("a")))
    let old = try await test.service.preview(
      CommitRequest(list: .parks, snapshot: try .of("b")))
    _ = try await test.service.commit(.init(list: .parks, snapshot: try .of("c")))
    let head = try #require(try await test.service.lists().first?.head.cursor)
    await #expect(
      throws: ServiceError.notTheStart(
        expected: old.from.cursor, list: .parks, head: head)
    ) { try await test.service.commit(request(old)) }
  }

  /// Invalid changes to a, b, c, and changes that do not lead to their stated end.
  @Test(arguments: [
    BareChanges(
      oldCount: 3, newCount: 2, removed: [.init(id: "b", from: 0)], moved: [], inserted: [],
      updated: []),
    BareChanges(
      oldCount: 3, newCount: 4, removed: [], moved: [],
      inserted: [.init(item: Item(id: "a", content: try! Content(json: "1")), to: 3)], updated: []),
    BareChanges(
      oldCount: 3, newCount: 5, removed: [], moved: [],
      inserted: [
        .init(item: Item(id: "x", content: try! Content(json: "1")), to: 3),
        .init(item: Item(id: "x", content: try! Content(json: "1")), to: 4),
      ], updated: []),
    BareChanges(
      oldCount: 3, newCount: 3, removed: [.init(id: "a", from: 0)], moved: [],
      inserted: [.init(item: Item(id: "a", content: try! Content(json: "1")), to: 2)], updated: []),
    BareChanges(
      oldCount: 3, newCount: 3, removed: [], moved: [.init(id: "a", from: 0, to: 9)],
      inserted: [], updated: []),
    BareChanges(
      oldCount: 3, newCount: 2, removed: [.init(id: "z", from: 99)], moved: [], inserted: [],
      updated: []),
    BareChanges(
      oldCount: 2, newCount: 1, removed: [.init(id: "a", from: 0)], moved: [], inserted: [],
      updated: []),
    BareChanges(
      oldCount: 3, newCount: 2, removed: [.init(id: "a", from: 0)], moved: [], inserted: [],
      updated: []),
  ])
  func changesThatDoNotMatchTheListAreRefused(changes: BareChanges) async throws {
    let test = try TestStore()
    _ = try await test.service.commit(.init(list: .parks, snapshot: try .of("a", "b", "c")))
    let head = try #require(try await test.service.lists().first).head
    let to = ListState(cursor: nil, count: changes.newCount, root: .empty)
    let error = await #expect(throws: ServiceError.self) {
      try await test.service.commit(
        CommitRequest(list: .parks, .changes(changes, from: head, to: to)))
    }
    guard case .misfit = error else {
      Issue.record("expected .misfit, got \(String(describing: error))")
      return
    }
    #expect(try await test.service.log(of: .parks).count == 1)
  }

  @Test func commitReducesMovesToTheFewest() async throws {
    let test = try TestStore()
    let (old, new) = (try Snapshot.of("a", "b", "c", "d"), try Snapshot.of("b", "c", "d", "a"))
    _ = try await test.service.commit(.init(list: .parks, snapshot: old))
    let changes = BareChanges(
      oldCount: 4, newCount: 4, removed: [],
      moved: [
        .init(id: "b", from: 1, to: 0), .init(id: "c", from: 2, to: 1),
        .init(id: "d", from: 3, to: 2),
      ], inserted: [], updated: [.init(item: old.items[0], from: 0, to: 3)])
    let head = try #require(try await test.service.lists().first).head
    let outcome = try await test.service.commit(
      CommitRequest(list: .parks, .changes(changes, from: head, to: ListState(of: new))))
    guard case .committed(let record) = outcome else {
      Issue.record("nothing was committed")
      return
    }
    #expect(record.changes == ChangeCounts(removed: 0, moved: 1, inserted: 0, updated: 0))
    #expect(try await test.service.verify(depth: .everything).faults == [])
  }
}
