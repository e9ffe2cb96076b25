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

  /// The first rule finds other ids in the file than the second one.
  @Test func requestIsMadeAgainForARuleThatOthersSetMeanwhile() async throws {
    try await commit("a")
    let others = others
    let service = service { number in
      guard number == 0 else { return }
      var request = CommitRequest(list: .parks, snapshot: try .of("a", "o"))
      request.idRule = #"["key"]"#
      _ = try await others.commit(request)
    }
    let rules = Mutex<[String?]>([])
    let outcome = try await service.commit(to: .parks) { rule in
      rules.withLock { $0.append(rule) }
      return CommitRequest(list: .parks, snapshot: try .of(rule == nil ? "old" : "new"))
    }.outcome
    #expect(rules.withLock(\.self) == [nil, #"["key"]"#])
    #expect(outcome.state.version == Version(3))
    #expect(try await ids() == ["new"])
  }

  @Test func smallCommitIsOneReadingAndOneWritingTransaction() async throws {
    let counts = TransactionCounter(store: store)
    let service = SyncService(store: counts) { TestStore.noon }
    for number in 1...100 {
      let before = counts.count
      let (outcome, isMergeDue, _) = try await service.commit(to: .parks) { _ in
        CommitRequest(list: .parks, snapshot: try .of("\(number)"))
      }
      #expect(outcome.state.version == Version(number))
      #expect(counts.count == before + 2)
      // The commit itself knows what a look for a merge would find.
      let found = try await store.read { try $0.dueMerge(of: $0.existingList(.parks)) != nil }
      #expect(isMergeDue == found, "version \(number)")
    }
  }

  @Test func commitThatLeavesALongerSegmentSaysThatAMergeIsDue() async throws {
    let text = String(repeating: "x", count: 50)
    func commit(changing count: Int) async throws -> Bool {
      let ids = (0..<8000).map { $0 < count ? "new-\($0)-\(text)" : "\($0)-\(text)" }
      return try await others.commit(to: .parks) { _ in
        CommitRequest(list: .parks, snapshot: try .of(ids))
      }.isMergeDue
    }
    for (count, isDue) in [(0, false), (10, false), (20, false), (3000, true)] {
      #expect(try await commit(changing: count) == isDue, "\(count)")
      let found = try await store.read { try $0.dueMerge(of: $0.existingList(.parks)) != nil }
      #expect(found == isDue, "\(count)")
    }
  }

  @Test func limitThatOthersSetMeanwhileRefusesTheCommit() async throws {
    try await commit("a", "b")
    let others = others
    let service = service { number in
      guard number == 0 else { return }
      var request = CommitRequest(list: .parks, snapshot: try .of("a", "b"))
      request.limits[.removed] = .count(0)
      _ = try await others.commit(request)
    }
    await #expect(
      throws: ServiceError.changesTooMany(.removed, 1, of: 2, list: .parks, limit: .count(0))
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
    request.limits[.removed] = .count(1)
    await #expect(
      throws: ServiceError.changesTooMany(.removed, 2, of: 3, list: .parks, limit: .count(1))
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

  func write<Result: Sendable>(
    _ body: @Sendable (ListWriter) throws -> Result
  ) async throws -> Result {
    counter.increment()
    try await before(counter.value - 1)
    return try await store.write(body)
  }
}

/// Counts the transactions of a store.
private final class TransactionCounter: WrappingStore {
  let store: any ListStore
  private let counted = Mutex(0)
  var count: Int { counted.withLock(\.self) }

  init(store: any ListStore) { self.store = store }

  func read<Result: Sendable>(
    _ body: @Sendable (ListReader) throws -> Result
  ) async throws -> Result {
    counted.withLock { $0 += 1 }
    return try await store.read(body)
  }

  func write<Result: Sendable>(
    _ body: @Sendable (ListWriter) throws -> Result
  ) async throws -> Result {
    counted.withLock { $0 += 1 }
    return try await store.write(body)
  }
}
