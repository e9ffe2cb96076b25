import ListModel
import ListStore
import StoreTestSupport
import SyncService
import Testing

/// Readers of several transactions, while their list is dropped and another one begins under its
/// name.
@Suite struct ReplacedListTests {
  private static func store() async throws -> TestStore {
    let test = try TestStore()
    for texts in [["a"], ["a", "b"], ["b"], ["b", "c=1"]] { try await test.commit(texts) }
    return test
  }

  /// Puts another list of a number of versions in place of the parks.
  private static func replace(_ count: Int, in service: SyncService) async throws {
    _ = try await service.drop(DepartureRequest(list: .parks))
    for number in 1...count {
      var request = CommitRequest(list: .parks, snapshot: try .of("x=\(number)", "y"))
      request.beginsAgain = true
      _ = try await service.commit(request)
    }
  }

  private static func expectDiverged(
    from cursor: Cursor, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
  ) async {
    await #expect(sourceLocation: sourceLocation) {
      try await body()
    } throws: { error in
      guard case .diverged(let found, list: .parks, here: _)? = error as? ServiceError else {
        return false
      }
      return found.version <= cursor.version && found.version > .zero
    }
  }

  /// A former fault: steps of the one list were followed by steps of the other.
  @Test(arguments: [(0, 4), (1, 4), (4, 0), (4, 1)], [2, 4, 6])
  func replayIsDivergedOnceAnotherListHasTheName(
    _ ends: (from: Int, to: Int), _ count: Int
  ) async throws {
    let test = try await Self.store()
    let head = try #require(try await test.service.log(of: .parks).first).cursor
    var steps: [Delta] = []
    await Self.expectDiverged(from: head) {
      try await test.service.replay(
        .parks, from: .version(Version(ends.from)), to: .version(Version(ends.to)), batchCount: 1
      ) { delta in
        steps.append(delta)
        if steps.count == 2 { try await Self.replace(count, in: test.service) }
      }
    }
    #expect(steps.count == 2)
  }

  @Test func replayIsDivergedWhenItsListIsReplacedBeforeTheFirstStep() async throws {
    let test = try await Self.store()
    let head = try #require(try await test.service.log(of: .parks).first).cursor
    let store = WatchedStore(test.store)
    let service = SyncService(store: store) { TestStore.noon }
    store.afterNextRead { try await Self.replace(6, in: test.service) }
    await Self.expectDiverged(from: head) {
      try await service.replay(.parks, from: .version(.zero), to: .head) { _ in
        Issue.record("a step of the other list was given")
      }
    }
  }

  @Test func replayOfADroppedListIsGone() async throws {
    let test = try await Self.store()
    var count = 0
    await #expect {
      try await test.service.replay(
        .parks, from: .version(.zero), to: .head, batchCount: 1
      ) { _ in
        count += 1
        if count == 2 { _ = try await test.service.drop(DepartureRequest(list: .parks)) }
      }
    } throws: { error in
      if case .gone? = error as? ServiceError { true } else { false }
    }
    #expect(count == 2)
  }

  /// Formerly, a bundle mixed both histories, which its roots called damage.
  @Test(arguments: [nil, Version(1)], [2, 4, 6])
  func exportIsDivergedOnceAnotherListHasTheName(_ since: Version?, _ count: Int) async throws {
    let test = try await Self.store()
    let head = try #require(try await test.service.log(of: .parks).first).cursor
    var request = ExportRequest(list: .parks)
    (request.since, request.batchCount) = (since.map { .version($0) }, 1)
    var export = try await test.service.export(request)
    _ = try await export.nextBatch()
    try await Self.replace(count, in: test.service)
    await Self.expectDiverged(from: head) { _ = try await export.nextBatch() }
  }

  @Test func exportOfABaseIsDivergedOnceAnotherListHasTheName() async throws {
    let test = try await Self.store()
    let head = try #require(try await test.service.log(of: .parks).first).cursor
    _ = try await test.service.prune(
      PruneRequest(list: .parks, rule: RetentionRule(keepLast: 2)!))
    var export = try await test.service.export(ExportRequest(list: .parks))
    try await Self.replace(4, in: test.service)
    await Self.expectDiverged(from: head) { _ = try await export.nextBatch() }
  }
}
