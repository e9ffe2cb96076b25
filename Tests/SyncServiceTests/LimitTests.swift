import ListChanges
import ListModel
import StoreTestSupport
import SyncService
import Testing

@testable import ListStore

/// The service holds commits to the limits, but not reads.
@Suite struct LimitTests {
  /// A service with a low limit on the same store.
  private func service(_ limit: Limit, _ value: Int, on test: TestStore) -> SyncService {
    var limits = Limits.standard
    limits[limit] = value
    return SyncService(store: test.store, limits: limits) { TestStore.noon }
  }

  /// Three items of `{"id":"aaa","value":0}`: 22 bytes, and 3 of the id.
  private static let texts = ["aaa", "bbb", "ccc"]
  private static let bounds: [(Limit, Int)] = [
    (.items, 2), (.idBytes, 2), (.itemBytes, 21), (.commitBytes, 74),
  ]

  private func expectRefusal(
    _ limit: Limit, _ test: TestStore, _ body: () async throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let before = try await StoreAnswers(of: test.service)
    let error = await #expect(throws: ServiceError.self, sourceLocation: sourceLocation) {
      try await body()
    }
    guard case .limit(let exceeded, list: .parks, item: _) = error else {
      Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
      return
    }
    #expect(exceeded.limit == limit, sourceLocation: sourceLocation)
    #expect(try await StoreAnswers(of: test.service) == before, sourceLocation: sourceLocation)
  }

  @Test(arguments: bounds)
  func commitAtALimitIsAcceptedAndOneAboveItIsRefused(_ limit: Limit, _ bound: Int) async throws {
    let test = try TestStore()
    let request = CommitRequest(list: .parks, snapshot: try .of(Self.texts))
    let low = service(limit, bound, on: test)
    try await expectRefusal(limit, test) { _ = try await low.commit(request) }
    try await expectRefusal(limit, test) { _ = try await low.preview(request) }
    _ = try await service(limit, bound + 1, on: test).commit(request)
  }

  @Test(arguments: bounds)
  func editsDeltasImportsAndRangesMustKeepTheLimits(_ limit: Limit, _ bound: Int) async throws {
    let (test, source) = (try TestStore(), try TestStore())
    _ = try await test.service.commit(.init(list: .parks, snapshot: try .of("x")))
    _ = try await source.service.commit(.init(list: .parks, snapshot: try .of(Self.texts)))
    let snapshot = try Snapshot.of(Self.texts)
    let low = service(limit, bound, on: test)

    let edits = CommitRequest(list: .parks, edits: snapshot.items.map { .put($0, nil) })
    try await expectRefusal(limit, test) { _ = try await low.commit(edits) }
    try await expectRefusal(limit, test) { _ = try await low.preview(edits) }

    let head = try await test.service.snapshot(of: .parks, at: .head)
    let step = head.snapshot.changes(to: snapshot)
    let delta = CommitRequest(
      list: .parks,
      .changes(BareChanges(step), from: ListState(of: head.snapshot), to: ListState(of: snapshot)))
    try await expectRefusal(limit, test) { _ = try await low.commit(delta) }

    try await expectRefusal(limit, test) {
      let states = OneState(snapshot: snapshot)
      _ = try await low.importStates(.init(list: .parks, source: "test"), from: states)
    }

    let empty = try TestStore()
    let lowEmpty = service(limit, bound, on: empty)
    let range = try await source.export()
    try await expectRefusal(limit, empty) {
      _ = try await lowEmpty.apply { TestRange.Source(range) }
    }
  }

  @Test func storedVersionsAreAnsweredUnderLowerLimits() async throws {
    let test = try TestStore()
    var history = TestHistory(test)
    try await history.commit(history.newItems(3))
    try await history.commit(history.newItems(2))
    let answers = try await StoreAnswers(of: test.service)
    for limit in Limit.allCases {
      let low = service(limit, 1, on: test)
      #expect(try await StoreAnswers(of: low) == answers)
      #expect(try await low.verify(depth: .everything).faults.isEmpty)
      #expect(try await low.export(.init(list: .parks)).header.target.version == history.head)
    }
  }

  @Test func exportWithAnAbsurdBatchSizeReturnsEverything() async throws {
    let test = try TestStore()
    _ = try await test.service.commit(.init(list: .parks, snapshot: try .of("a")))
    _ = try await test.service.commit(.init(list: .parks, snapshot: try .of("b")))
    var request = ExportRequest(list: .parks)
    request.batchCount = .max
    var export = try await test.service.export(request)
    #expect(try await export.nextBatch().count == 2)
    #expect(try await export.nextBatch().isEmpty)
  }

  /// It ends with an answer or an error.
  @Test func exportOfAbsurdStoredCountsEndsWithoutATrap() async throws {
    for column in ["removed", "moved", "inserted", "updated", "item_count"] {
      for value in [Int64.max, Int64.max - 1, 1 << 62] {
        let test = try TestStore()
        for text in ["a", "b", "c"] {
          _ = try await test.service.commit(.init(list: .parks, snapshot: try .of(text)))
        }
        try await test.sql("UPDATE versions SET \(column) = \(value) WHERE version > 1")
        do {
          var export = try await test.service.export(.init(list: .parks))
          while try await !export.nextBatch().isEmpty {}
          Issue.record("\(column) \(value) was not found out")
        } catch {}
        await #expect(throws: LogTable.versions.brokenRules) {
          try await test.service.log(of: .parks)
        }
        #expect(try await !test.service.verify().faults.isEmpty)
      }
    }
  }
}

/// A source of one state.
private struct OneState: ImportSource {
  var snapshot: Snapshot?

  mutating func next() throws -> ImportedState? {
    defer { snapshot = nil }
    return snapshot.map {
      ImportedState(position: "1", content: .version($0, CommitNote(time: TestStore.noon)))
    }
  }
}
