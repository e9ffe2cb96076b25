import ListModel
import ListStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// States of a source become versions, several in one transaction.
struct ImportingTests {
  private static let source = "test:parks"

  /// The states of a source: versions, an unchanged state, and one that is not a version.
  private static let states: [[String]?] = [
    nil, ["a"], ["a", "b"], ["a", "b"], nil, ["b", "a"], ["b=1", "a"], [], nil, ["c"],
  ]

  /// Gives the states after a position, and fails at a given one.
  private struct Source: ImportSource {
    var index: Int
    var failure: Int?

    struct CutOff: Error {}

    init(after position: String?, failingAt failure: Int? = nil) {
      index = position.flatMap { Int($0) }.map { $0 + 1 } ?? 0
      self.failure = failure
    }

    mutating func next() throws -> ImportedState? {
      if index == failure { throw CutOff() }
      guard index < ImportingTests.states.count else { return nil }
      defer { index += 1 }
      return try ImportingTests.state(index)
    }
  }

  private static func state(_ index: Int) throws -> ImportedState {
    guard let texts = states[index] else {
      return ImportedState(position: "\(index)", content: .skipped)
    }
    let time = Timestamp(millisecondsSince1970: Int64(index) * 1000)
    let note = CommitNote(time: time, author: "author \(index)", message: "message \(index)")
    return ImportedState(
      position: "\(index)", content: .version(try Snapshot.of(texts), note), byteCount: 10)
  }

  private static func run(
    _ store: TestStore, limits: ImportLimits = ImportLimits(), failingAt failure: Int? = nil,
    onStored: (ImportTally) -> Void = { _ in }
  ) async throws -> ImportTally {
    let position = try await store.service.importPosition(of: source, in: .parks)
    var request = ImportRequest(list: .parks, source: source, after: position)
    request.limits = limits
    return try await store.service.importStates(
      request, from: Source(after: position, failingAt: failure), onStored: onStored)
  }

  private static func limits(states: Int) -> ImportLimits {
    var limits = ImportLimits()
    limits.stateCount = states
    limits.duration = .seconds(3600)
    return limits
  }

  /// States that are unchanged or not lists make no version.
  @Test func eachStateBecomesAVersionWithItsNoteAndOthersAreCounted() async throws {
    let store = try TestStore()
    let tally = try await Self.run(store)
    #expect(tally.versionCount == 6)
    #expect(tally.unchangedCount == 1)
    #expect(tally.skippedCount == 3)
    let log = try await store.service.log(of: .parks)
    #expect(log.map(\.note.author).reversed() == [1, 2, 5, 6, 7, 9].map { "author \($0)" })
    for (number, index) in [1, 2, 5, 6, 7, 9].enumerated() {
      let revision = Revision.version(Version(number + 1))
      let stored = try await store.service.snapshot(of: .parks, at: revision)
      #expect(stored.snapshot == (try Snapshot.of(Self.states[index] ?? [])))
    }
    #expect(try await store.service.verify().faults == [])
    #expect(try await store.service.importPosition(of: Self.source, in: .parks) == "9")
    #expect(try await Self.run(store).stateCount == 0)
  }

  @Test(arguments: [1, 2, 3, 5, 11])
  func importThatIsCutOffAndRepeatedEndsLikeAnUninterruptedOne(_ stateCount: Int) async throws {
    let whole = try TestStore()
    _ = try await Self.run(whole)
    let expected = try await whole.service.log(of: .parks)
    for failure in Self.states.indices {
      let store = try TestStore()
      await #expect(throws: Source.CutOff.self) {
        try await Self.run(store, limits: Self.limits(states: stateCount), failingAt: failure)
      }
      // The states before the failure are stored, together with the position.
      let position = try await store.service.importPosition(of: Self.source, in: .parks)
      #expect(position == (failure < 2 ? nil : "\(failure - 1)"))
      _ = try await Self.run(store, limits: Self.limits(states: stateCount))
      #expect(try await store.service.log(of: .parks) == expected)
    }
  }

  @Test func importTransactionTakesAsManyStatesAsItsLimitsAllow() async throws {
    let store = try TestStore()
    var counts: [Int] = []
    _ = try await Self.run(store, limits: Self.limits(states: 4)) { counts.append($0.stateCount) }
    #expect(counts == [4, 8, 10])
    let other = try TestStore()
    var limits = Self.limits(states: 100)
    limits.byteCount = 25
    counts = []
    _ = try await Self.run(other, limits: limits) { counts.append($0.stateCount) }
    // Skipped states have no bytes.
    #expect(counts == [4, 8, 10])
    let third = try TestStore()
    limits.byteCount = .max
    limits.duration = .zero
    counts = []
    _ = try await Self.run(third, limits: limits) { counts.append($0.stateCount) }
    #expect(counts == Array(1...10))
  }

  @Test func importCreatesTheListWithItsFirstVersion() async throws {
    let store = try TestStore()
    await #expect(throws: Source.CutOff.self) { try await Self.run(store, failingAt: 1) }
    #expect(try await store.service.lists().isEmpty)
  }

  @Test func importThatAnotherHasOvertakenStoresNothing() async throws {
    let store = try TestStore()
    _ = try await Self.run(store)
    let head = try await store.service.lists()
    let request = ImportRequest(list: .parks, source: Self.source, after: nil)
    await #expect(throws: ServiceError.importOvertaken(source: Self.source, list: .parks)) {
      try await store.service.importStates(request, from: Source(after: nil))
    }
    #expect(try await store.service.lists() == head)
  }

  @Test func importIsRefusedAfterVersionsThatWereNotImported() async throws {
    let store = try TestStore()
    try await store.commit(["a"])
    let before = try await store.service.log(of: .parks)
    await #expect(throws: ServiceError.notImported(list: .parks, head: Version(1))) {
      try await Self.run(store)
    }
    #expect(try await store.service.log(of: .parks) == before)
    #expect(try await store.service.importPosition(of: Self.source, in: .parks) == nil)
    // A caller that names the list's present position continues from there.
    var request = ImportRequest(list: .parks, source: Self.source, after: nil)
    request.goesOnFromVersions = true
    _ = try await store.service.importStates(request, from: Source(after: "1"))
    #expect(try await store.service.log(of: .parks).count == 1 + 6 - 1)
    // Another source of an imported list is a renamed file.
    let renamed = ImportRequest(list: .parks, source: "test:new", after: nil)
    _ = try await store.service.importStates(renamed, from: Source(after: "8"))
    #expect(try await store.service.importPosition(of: "test:new", in: .parks) == "9")
  }

  @Test func importBuildsOnACommitBetweenItsTransactions() async throws {
    let store = try TestStore()
    await #expect(throws: Source.CutOff.self) { try await Self.run(store, failingAt: 3) }
    _ = try await store.service.commit(CommitRequest(list: .parks, snapshot: .of("z", "a")))
    _ = try await Self.run(store)
    #expect(try await store.service.log(of: .parks).count == 8)
    #expect(try await store.service.snapshot(of: .parks).snapshot == Snapshot.of("c"))
    #expect(try await store.service.verify().faults == [])
  }
}
