import Foundation
import GRDB
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Ranges of versions, exported by one store and applied by another.
@Suite(.serialized) struct TransferTests {
  @Test func allVersionsOfAListGiveTheSameListInAnotherStore() async throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<12 {
      let history = try await RandomHistory(&random)
      let range = try await history.source.export()
      let copy = try TestStore()
      let outcome = try await copy.apply(range)
      #expect(outcome.isNew)
      #expect(outcome.addedCount == history.snapshots.count)
      try await history.expectSame(in: copy, seed: random.seed)
    }
  }

  @Test func transferResumesWhereverTheHistoryWasCut() async throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<8 {
      let history = try await RandomHistory(&random)
      let copy = try TestStore()
      var cursor: ListModel.Cursor?
      var version = 0
      while version < history.snapshots.count {
        let next = Int.random(in: version + 1...history.snapshots.count, using: &random)
        let range = try await history.source.export(
          since: cursor.map { .cursor($0) }, to: .version(Version(next)))
        let outcome = try await copy.apply(range)
        #expect(outcome.addedCount == next - version)
        (cursor, version) = (outcome.head.cursor, next)
      }
      try await history.expectSame(in: copy, seed: random.seed)
    }
  }

  /// A list below its start is refused.
  @Test func rangeIsAppliedOnceToAListAtAnyVersionFromItsStartOn() async throws {
    let source = try TestStore()
    for texts in [["a"], ["a", "b"], ["b", "a"], ["b=1"], ["b=1", "c"]] {
      try await source.commit(texts)
    }
    let log = try await source.service.log(of: .parks)
    for since in 0..<5 {
      for to in since + 1...5 {
        let range = try await source.export(
          since: .version(Version(since)), to: .version(Version(to)))
        for here in 0...5 {
          let copy = try TestStore()
          if here > 0 { try await copy.apply(source.export(to: .version(Version(here)))) }
          if here < since {
            let cursor = here == 0 ? ListState.zero.knownCursor : log[5 - here].cursor
            await #expect(
              throws: ServiceError.tooNew(
                start: log[5 - since].cursor, list: .parks, head: cursor)
            ) { try await copy.apply(range) }
            #expect(try await copy.service.lists().count == (here == 0 ? 0 : 1))
            continue
          }
          #expect(try await copy.apply(range).addedCount == max(0, to - here))
          let again = try await copy.apply(range)
          #expect(again.addedCount == 0)
          #expect(again.head.cursor == log[5 - max(here, to)].cursor)
          #expect(try await copy.service.log(of: .parks) == Array(log.suffix(max(here, to))))
          #expect(try await copy.service.verify(depth: .everything).faults == [])
        }
      }
    }
  }

  @Test func listWithAnotherVersionInTheRangeHasDivergedAndStaysUnchanged() async throws {
    for fork in 1...3 {
      let (source, other) = (try TestStore(), try TestStore())
      for texts in [["a"], ["a", "b"], ["b"]] { try await source.commit(texts) }
      if fork > 1 { try await other.apply(source.export(to: .version(Version(fork - 1)))) }
      try await other.commit(["x", "y"])
      let log = try await other.service.log(of: .parks)
      let cursor = try await source.service.log(of: .parks)[3 - fork].cursor
      for since in [nil, Revision.version(Version(fork - 1)), .version(Version(fork))]
      where since != .version(Version(3)) {
        let range = try await source.export(since: since)
        await #expect(
          throws: ServiceError.diverged(cursor, list: .parks, here: log[0].cursor)
        ) { try await other.apply(range) }
      }
      #expect(try await other.service.log(of: .parks) == log)
    }
  }

  @Test func listIsTransferredUnderAnotherNameWithItsIDRule() async throws {
    let source = try TestStore()
    var request = CommitRequest(list: .parks, snapshot: try .of("a"))
    request.idRule = #"["code"]"#
    _ = try await source.service.commit(request)
    let mirror = ListName("mirror")!
    _ = try await source.apply(source.export(), as: mirror)
    #expect(try await source.service.idRule(of: mirror) == #"["code"]"#)
    #expect(try await source.service.log(of: mirror) == source.service.log(of: .parks))
  }

  @Test func repeatedRangeKeepsTheIDRuleAndANewVersionBringsItsOwn() async throws {
    let (source, copy) = (try TestStore(), try TestStore())
    for (number, rule) in [#"["a"]"#, #"["b"]"#].enumerated() {
      var request = CommitRequest(list: .parks, snapshot: try .of("\(number)"))
      request.idRule = rule
      request.allowsNewIDs = true
      _ = try await source.service.commit(request)
      let range = try await source.export(since: number == 0 ? nil : .version(Version(1)))
      _ = try await copy.apply(range)
      #expect(try await copy.service.idRule(of: .parks) == rule)
      if number == 1 { continue }
      let renamed = CommitRequest(list: .parks, snapshot: try .of("0"))
      var other = renamed
      other.idRule = #"["c"]"#
      _ = try await copy.service.commit(other)
      _ = try await copy.apply(range)
      #expect(try await copy.service.idRule(of: .parks) == #"["c"]"#)
    }
  }

  @Test func listWithoutVersionsIsTransferred() async throws {
    let (source, copy) = (try TestStore(), try TestStore())
    try await source.commit([])
    let outcome = try await copy.apply(source.export())
    #expect(outcome.head == .zero)
    #expect(try await copy.service.lists().map(\.name) == [.parks])
    await #expect(throws: ServiceError.self) { try await source.export(since: .head) }
  }

  @Test func emptyBundleIsRefusedWithTheCursorsOfItsEnds() async throws {
    let source = try TestStore()
    for texts in [["a"], ["b"]] { try await source.commit(texts) }
    let cursors = try await source.service.log(of: .parks).map(\.cursor)
    await #expect(
      throws: ServiceError.emptyBundle(list: .parks, from: cursors[0], to: cursors[1])
    ) { try await source.export(since: .head, to: .version(Version(1))) }
    await #expect(
      throws: ServiceError.emptyBundle(list: .parks, from: cursors[0], to: cursors[0])
    ) { try await source.export(since: .head) }
  }

  @Test(arguments: [0, 1, 2])
  func rangeThatFailsAtItsEndLeavesNothingBehind(_ knownCount: Int) async throws {
    let (source, copy) = (try TestStore(), try TestStore())
    for texts in [["a"], ["a", "b"], ["b"]] { try await source.commit(texts) }
    if knownCount > 0 { try await copy.apply(source.export(to: .version(Version(knownCount)))) }
    let before = try await copy.service.lists()
    let range = try await source.export()
    await #expect(throws: TestRange.CutOff.self) {
      try await copy.service.apply { TestRange.Source(range, isWhole: false) }
    }
    #expect(try await copy.service.lists() == before)
    try await copy.apply(range)
    #expect(try await copy.service.log(of: .parks).count == 3)
  }

  @Test func sourceThatEndsBeforeItsTargetIsRefused() async throws {
    let (source, copy) = (try TestStore(), try TestStore())
    for texts in [["a"], ["b"]] { try await source.commit(texts) }
    var range = try await source.export()
    range.parts.removeLast()
    let short = range
    await #expect(throws: ServiceError.self) { try await copy.apply(short) }
    #expect(try await copy.service.lists().isEmpty)
    range.parts.insert(contentsOf: [range.parts[0]], at: 0)
    let twice = range
    await #expect(throws: ServiceError.self) { try await copy.apply(twice) }
  }

  @Test func stepThatContradictsItsRecordIsRefusedWithItsVersion() async throws {
    let (source, copy) = (try TestStore(), try TestStore())
    for texts in [["a", "b"], ["b", "a", "c"]] { try await source.commit(texts) }
    let range = try await source.export()
    guard case .step(let sound) = range.parts[1] else { preconditionFailure() }
    let (own, step) = (try #require(sound.to.header), sound.changes)
    func header(
      root: Root? = nil, previous: Chain? = nil, author: String? = nil
    ) -> VersionHeader {
      VersionHeader(
        version: own.version,
        note: author.map { CommitNote(time: own.note.time, author: $0) } ?? own.note,
        root: root ?? own.root, previous: previous ?? own.previous)
    }
    func changes(
      moved: [BareChanges.Move]? = nil, _ inserted: [BareChanges.Insertion]? = nil
    ) -> BareChanges {
      BareChanges(
        oldCount: step.oldCount, newCount: step.newCount, removed: step.removed,
        moved: moved ?? step.moved, inserted: inserted ?? step.inserted, updated: step.updated)
    }
    let move = try #require(step.moved.first)
    let other = BareChanges.Move(
      id: move.id == "a" ? "b" : "a", from: move.to, to: move.from)
    let held = try Snapshot.of("a").items[0]
    let forgeries: [(VersionHeader, BareChanges)] = [
      (header(root: .empty), step), (header(previous: .zero), step),
      (header(author: "Eve"), step), (own, changes(moved: [])), (own, changes(moved: [other])),
      (own, changes([.init(item: held, to: 2)])), (own, changes([.init(item: held, to: 7)])),
    ]
    for (number, forgery) in forgeries.enumerated() {
      var forged = range
      forged.parts[1] = .step(
        ListDelta(
          list: sound.list, from: sound.from, to: ListState(forgery.0, count: sound.to.count),
          oldest: nil, changes: forgery.1))
      let bad = forged
      await #expect("forgery \(number)") {
        try await copy.apply(bad)
      } throws: { error in
        guard case .brokenBundle(.parks, Version(2), _)? = error as? ServiceError else {
          return false
        }
        return true
      }
      #expect(try await copy.service.lists().isEmpty)
    }
    try await copy.apply(range)
  }

  /// A version with more changes than the limit is a batch of its own.
  @Test func batchHoldsAtLeastOneVersionAndNoMoreChangesThanItsLimit() async throws {
    let source = try TestStore()
    for texts in [["a", "b", "c"], ["a", "b"], ["a"], ["a", "x"], ["y", "z"]] {
      try await source.commit(texts)
    }
    for (limit, counts) in [(1, [1, 1, 1, 1, 1]), (2, [1, 2, 1, 1]), (4, [2, 2, 1]), (99, [5])] {
      var request = ExportRequest(list: .parks)
      request.batchCount = limit
      var export = try await source.service.export(request)
      var found: [Int] = []
      while case let parts = try await export.nextBatch(), !parts.isEmpty {
        found.append(parts.count)
      }
      #expect(found == counts, "limit \(limit)")
    }
  }
}

/// Ranges whose older versions were pruned.
@Suite(.serialized) struct PrunedTransferTests {
  /// A store whose list starts at a base, and a store with all of its versions.
  private static func stores(base: Int) async throws -> (whole: TestStore, pruned: TestStore) {
    let whole = try TestStore()
    for texts in [["a", "b", "c"], ["c", "a=1"], ["c", "a", "d"], ["d"], ["d", "b", "c"]] {
      try await whole.commit(texts)
    }
    let pruned = try TestStore()
    try await pruned.apply(whole.export(base: base))
    return (whole, pruned)
  }

  @Test(arguments: 2...5)
  func baseCreatesAListWhoseOldestVersionItIs(_ base: Int) async throws {
    let (whole, pruned) = try await Self.stores(base: base)
    let list = try #require(try await pruned.service.lists().first)
    #expect(list.oldest == Version(base))
    #expect(
      try await pruned.service.log(of: .parks)
        == Array(whole.service.log(of: .parks).prefix(6 - base)))
    #expect(try await pruned.service.verify(depth: .everything).faults == [])
    for from in base...5 {
      let revision = Revision.version(Version(from))
      #expect(
        try await pruned.service.snapshot(of: .parks, at: revision).snapshot
          == whole.service.snapshot(of: .parks, at: revision).snapshot)
      for to in base...5 {
        let to = Revision.version(Version(to))
        #expect(
          try await pruned.service.delta(of: .parks, since: revision, to: to).changes
            == whole.service.delta(of: .parks, since: revision, to: to).changes)
      }
    }
    await #expect(throws: ServiceError.self) {
      try await pruned.service.snapshot(of: .parks, at: .version(Version(base - 1)))
    }
  }

  @Test(arguments: 2...5)
  func prunedListExportsItsBaseAndIsIdenticalElsewhere(_ base: Int) async throws {
    let (whole, pruned) = try await Self.stores(base: base)
    let range = try await pruned.export()
    #expect(range.range == (try await whole.export(base: base)).range)
    let copy = try TestStore()
    let outcome = try await copy.apply(range)
    #expect(outcome.addedCount == 6 - base)
    #expect(try await copy.service.log(of: .parks) == pruned.service.log(of: .parks))
    #expect(try await copy.apply(range).addedCount == 0)
    // A store with all versions already has these.
    #expect(try await whole.apply(range).addedCount == 0)
    // Both accept the same next commit.
    try await pruned.commit(["e", "a=7", "d"])
    try await copy.apply(pruned.export(since: .version(Version(5))))
    try await whole.apply(pruned.export())
    for store in [copy, whole] {
      #expect(
        try await store.service.lists().map(\.head) == pruned.service.lists().map(\.head))
      #expect(try await store.service.verify(depth: .everything).faults == [])
    }
  }

  @Test func exportOfPrunedVersionsIsTooOld() async throws {
    let (_, pruned) = try await Self.stores(base: 3)
    for since in ["0", "1", "2"] {
      await #expect(
        throws: ServiceError.tooOld(
          since, list: .parks, oldest: Version(3), head: Version(5))
      ) { try await pruned.export(since: Revision(since)) }
      let to = try #require(Revision(since))
      await #expect(
        throws: ServiceError.tooOld(since, list: .parks, oldest: Version(3), head: Version(5))
      ) { try await pruned.export(to: to) }
    }
    await #expect(throws: ServiceError.self) { try await pruned.export(to: .version(Version(2))) }
    _ = try await pruned.export(since: .version(Version(3)))
  }

  @Test func rangeFromBeforeAPruningIsComparedWherePossibleElseRefused() async throws {
    let (whole, pruned) = try await Self.stores(base: 3)
    #expect(try await pruned.apply(whole.export()).addedCount == 0)
    #expect(try await pruned.apply(whole.export(since: .version(Version(1)))).addedCount == 0)
    #expect(try await pruned.apply(whole.export(to: .version(Version(3)))).addedCount == 0)
    let (log, ours) = (
      try await whole.service.log(of: .parks), try await pruned.service.log(of: .parks)
    )
    await #expect(
      throws: ServiceError.endsTooOld(
        target: log[3].cursor, list: .parks, oldest: ours[2].cursor)
    ) { try await pruned.apply(whole.export(to: .version(Version(2)))) }
    // Another history with the same pruned versions is detected by the chain.
    let other = try TestStore()
    for number in 1...6 { try await other.commit(["\(number)"]) }
    let cursor = try await other.service.log(of: .parks)[3].cursor
    await #expect(
      throws: ServiceError.diverged(cursor, list: .parks, here: ours[0].cursor)
    ) { try await pruned.apply(other.export()) }
  }

  @Test func baseAheadOfTheListIsRefusedWithTheCursorToExportFrom() async throws {
    let (whole, pruned) = try await Self.stores(base: 4)
    let copy = try TestStore()
    try await copy.apply(whole.export(to: .version(Version(2))))
    let log = try await whole.service.log(of: .parks)
    await #expect(
      throws: ServiceError.tooNew(start: log[1].cursor, list: .parks, head: log[3].cursor)
    ) { try await copy.apply(pruned.export()) }
  }

  @Test func baseThatContradictsItsRecordCreatesNoList() async throws {
    let (whole, _) = try await Self.stores(base: 2)
    let range = try await whole.export(base: 3)
    func item(_ index: Int) -> BundleEvent { range.parts[index] }
    let bases: [[BundleEvent]] = [
      [item(1), item(0), item(2)], [item(0), item(1), item(1)], [item(0), item(1)],
      [item(0), item(1), item(2), item(2)],
    ]
    for base in bases {
      var forged = range
      forged.parts.replaceSubrange(0..<3, with: base)
      let (bad, copy) = (forged, try TestStore())
      await #expect("\(base)") {
        try await copy.apply(bad)
      } throws: { error in
        guard case .brokenBundle(.parks, Version(3), _)? = error as? ServiceError else {
          return false
        }
        return true
      }
      #expect(try await copy.service.lists().isEmpty)
    }
    let first = try await whole.export(base: 1)
    let copy = try TestStore()
    await #expect(throws: ServiceError.self) { try await copy.apply(first) }
  }

  @Test func versionsPrunedDuringAnExportAreReportedByName() async throws {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("test.db").path
    let store = try SQLiteStore(path: path, ifAbsent: .create)
    let service = SyncService(store: store) { TestStore.noon }
    for texts in [["a"], ["a", "b"], ["b"]] {
      _ = try await service.commit(.init(list: .parks, snapshot: try .of(texts)))
    }
    var request = ExportRequest(list: .parks)
    request.batchCount = 1
    var export = try await service.export(request)
    #expect(try await export.nextBatch().count == 1)
    // The state after a pruning.
    try await DatabaseQueue(path: path).write { db in
      try db.executeAsWritten(
        """
        UPDATE lists SET oldest = 3,
          chain_before = (SELECT chain FROM versions WHERE version = 2);
        DELETE FROM versions WHERE version < 3
        """)
    }
    await #expect(
      throws: ServiceError.tooOld("2", list: .parks, oldest: Version(3), head: Version(3))
    ) { try await export.nextBatch() }
  }
}
