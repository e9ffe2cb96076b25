import Dispatch
import ListModel
import ListStore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SyncService

/// Commits while the list changes between the transaction that prepares and the one that writes.
@Suite struct PreparedCommitTests {
  private let store = MemoryStore()

  private var others: SyncService { SyncService(store: store) { TestStore.noon } }

  /// The service of a store in which others do something before each write.
  private func service(
    _ others: @escaping @Sendable (_ number: Int) async throws -> Void
  ) -> SyncService {
    SyncService(store: InterruptedStore(store: store, before: others)) { TestStore.noon }
  }

  private func commit(_ texts: String...) async throws {
    _ = try await others.commit(CommitRequest(list: .parks, snapshot: try .of(texts)))
  }

  private func ids() async throws -> [String] {
    try await others.snapshot(of: .parks).snapshot.items.map(\.id.text)
  }

  @Test(arguments: [1, 2, 3, 4, 9])
  func editFollowsTheVersionsThatOthersCommitMeanwhile(count: Int) async throws {
    try await commit("a")
    let others = others
    let service = service { number in
      if number >= count { return }
      let item = try Snapshot.of("o\(number)").items[0]
      _ = try await others.commit(CommitRequest(list: .parks, edits: [.put(item, .last)]))
    }
    let item = try Snapshot.of("mine").items[0]
    let outcome = try await service.commit(
      CommitRequest(list: .parks, edits: [.put(item, .first)]))
    // After three attempts and before the fourth, which is made under the lock.
    let otherCount = min(count, 4)
    #expect(outcome.state.version == Version(1 + otherCount + 1))
    #expect(try await ids().first == "mine")
    #expect(try await others.verify(depth: .everything).faults.isEmpty)
  }

  /// The comparing waits here for the other commit, which would wait for the comparing if that were
  /// done under the lock.
  @Test(.timeLimit(.minutes(Hang.minutes)))
  func othersCommitWhileASnapshotIsCompared() async throws {
    let test = try TestStore()
    _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: try .of("a")))
    let service = test.service
    let films = CommitRequest(list: ListName("films")!, snapshot: try .of("x"))
    let isDone = DispatchSemaphore(value: 0)
    let outcome = try await service.commit(
      CommitRequest(list: .parks, snapshot: try .of("a", "b"))
    ) { stage in
      guard stage == .comparing else { return }
      Task {
        _ = try await service.commit(films)
        isDone.signal()
      }
      #expect(isDone.isSignalled())
    }
    #expect(outcome.state.version == Version(2))
    #expect(try await service.lists().count == 2)
  }

  @Test func snapshotThatExpectsTheHeadIsRefusedWhenOthersCommitMeanwhile() async throws {
    try await commit("a")
    let head = try #require(try await others.log(of: .parks).first).cursor
    let service = service { [self] _ in try await commit("a", "b") }
    var request = CommitRequest(list: .parks, snapshot: try .of("c"))
    request.expected = [.cursor(head)]
    await #expect {
      try await service.commit(request)
    } throws: { error in
      if case .expectationFailed? = error as? ServiceError { true } else { false }
    }
    #expect(try await ids() == ["a", "b"])
  }

  @Test func whatOthersSetMeanwhileStays() async throws {
    try await commit("a")
    let others = others
    let service = service { number in
      guard number == 0 else { return }
      var request = CommitRequest(list: .parks, snapshot: try .of("a"))
      request.idRule = #"["key"]"#
      request.titlePath = JSONPointer("/name")
      _ = try await others.commit(request)
    }
    let outcome = try await service.commit(
      CommitRequest(list: .parks, snapshot: try .of("a", "b")))
    #expect(outcome.state.version == Version(2))
    #expect(try await others.idRule(of: .parks) == #"["key"]"#)
    #expect(try await others.titlePath(of: .parks) == JSONPointer("/name"))
  }

  @Test func limitThatOthersSetMeanwhileRefusesTheCommit() async throws {
    try await commit("a", "b")
    let others = others
    let service = service { number in
      guard number == 0 else { return }
      var request = CommitRequest(list: .parks, snapshot: try .of("a", "b"))
      request.removalLimit = .count(0)
      _ = try await others.commit(request)
    }
    await #expect(
      throws: ServiceError.removesTooMany(1, of: 2, list: .parks, limit: .count(0))
    ) {
      try await service.commit(CommitRequest(list: .parks, snapshot: try .of("a")))
    }
    #expect(try await ids() == ["a", "b"])
  }

  @Test func removalsAreCountedFromTheHeadThatTheCommitFollows() async throws {
    try await commit("a")
    let service = service { [self] number in
      if number == 0 { try await commit("a", "b", "c") }
    }
    var request = CommitRequest(list: .parks, snapshot: try .of("b"))
    request.removalLimit = .count(1)
    await #expect(
      throws: ServiceError.removesTooMany(2, of: 3, list: .parks, limit: .count(1))
    ) {
      try await service.commit(request)
    }
    #expect(try await ids() == ["a", "b", "c"])
  }

  @Test func listThatIsDroppedMeanwhileIsGone() async throws {
    try await commit("a")
    let others = others
    let service = service { _ in
      _ = try? await others.drop(DepartureRequest(list: .parks))
    }
    await #expect {
      try await service.commit(CommitRequest(list: .parks, snapshot: try .of("b")))
    } throws: { error in
      if case .gone? = error as? ServiceError { true } else { false }
    }
    #expect(try await others.lists().isEmpty)
  }

  @Test func listThatBeginsAgainMeanwhileIsComparedAgain() async throws {
    try await commit("a")
    let others = others
    let service = service { number in
      guard number == 0 else { return }
      _ = try await others.drop(DepartureRequest(list: .parks))
      var request = CommitRequest(list: .parks, snapshot: try .of("x", "a"))
      request.beginsAgain = true
      _ = try await others.commit(request)
    }
    let outcome = try await service.commit(
      CommitRequest(list: .parks, snapshot: try .of("a", "b")))
    #expect(outcome.state.version == Version(2))
    #expect(try await others.verify(depth: .everything).faults.isEmpty)
  }

  @Test func listThatOthersCreateMeanwhileGetsASecondVersion() async throws {
    let service = service { [self] number in if number == 0 { try await commit("a") } }
    let outcome = try await service.commit(
      CommitRequest(list: .parks, snapshot: try .of("a", "b")))
    #expect(outcome.state.version == Version(2))
    #expect(try await ids() == ["a", "b"])
  }

  @Test func pruningMeanwhileTakesNothingThatTheNewVersionNames() async throws {
    try await commit("a=1", "b")
    for number in 2...6 { try await commit("a=\(number)", "b") }
    let others = others
    let service = service { number in
      guard number == 0 else { return }
      let rule = try #require(RetentionRule(keepLast: 1))
      _ = try await others.prune(PruneRequest(list: .parks, rule: rule))
    }
    // The content is the one of version 1, whose row the pruning deletes.
    _ = try await service.commit(CommitRequest(list: .parks, snapshot: try .of("a=1", "b")))
    #expect(try await others.verify(depth: .everything).faults.isEmpty)
    #expect(try await others.snapshot(of: .parks).snapshot == .of("a=1", "b"))
  }
}

/// A store in which others do something before each write.
private struct InterruptedStore: WrappingStore {
  let store: any ListStore
  let before: @Sendable (_ number: Int) async throws -> Void
  private let counter = Counter()

  init(store: any ListStore, before: @escaping @Sendable (_ number: Int) async throws -> Void) {
    (self.store, self.before) = (store, before)
  }

  private final class Counter: Sendable {
    private let count = Atomic(0)
    func next() -> Int { count.add(1, ordering: .relaxed).oldValue }
  }

  func write<Result: Sendable>(
    _ body: @Sendable (ListWriter) throws -> Result
  ) async throws -> Result {
    try await before(counter.next())
    return try await store.write(body)
  }
}
