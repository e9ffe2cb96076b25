import Foundation
import ListChanges
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Damaged files: every query is answered as before, or refused as damaged.
///
/// Digests detect altered rows. They cannot detect an index that omits a row: then a list or an
/// item seems missing, an item's history is shorter, or an edit takes an item for a new one.
/// `verify` finds this.
///
/// A file alone cannot show three other faults. If its write-ahead log was dropped, cut or damaged,
/// the store has exactly an older state, and a client with a later version is told that it
/// diverged. If the write-ahead log of another file lies beside it, SQLite plays it back; `verify`
/// finds this. If a write of the page of `lists` was lost, lists have older heads, until `verify`
/// or a commit finds it.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct DamageCampaign {
  private static let campaign = Campaign("damage")
  private var seed: Comment { "seed \(Self.campaign.seed)" }

  /// Examines damage to the closed store, or to a store whose writer was killed.
  private func examine(
    _ damages: [(String, StoreFiles)], _ states: [DamageFixture.State], newest: Int = 0,
    mayMix: Bool = false
  ) async throws -> DamageFigures {
    let store = try DamagedStore()
    defer { store.remove() }
    var figures = DamageFigures()
    for (name, files) in damages {
      let verdict = try await store.examine(files, states)
      figures.note(verdict, newest: newest, mayMix: mayMix, name)
    }
    return figures
  }

  /// Numbers below a count. The long form uses every `longStep`-th one after a start that depends
  /// on the seed, so several seeds cover all. The short form uses a few.
  private func sample(_ count: Int, share: Int, longStep: Int) -> [Int] {
    let step = Campaign.isLong ? longStep : max(1, count / share)
    return Array(stride(from: Int(Self.campaign.seed % UInt64(step)), to: count, by: step))
  }

  @Test func flippedBitOfTheStoreIsReportedOrChangesNoAnswer() async throws {
    let moment = try await DamageFixture.moment.value
    let main = moment.closed.main
    let store = try DamagedStore()
    defer { store.remove() }
    var figures = DamageFigures()
    for bit in sample(main.count * 8, share: 8, longStep: 97) {
      let files = StoreFiles(main: main.flipping(bit: bit), log: nil)
      let verdict = try await store.examine(files, [moment.states[0]])
      figures.note(verdict, "bit \(bit) of page \(bit / 8 / StoreFiles.pageByteCount + 1)")
    }
    figures.expectNoFaults(seed)
    Self.campaign.report("flipped bits: \(figures.text)")
  }

  @Test func emptySwappedOrRandomPageIsReportedOrChangesNoAnswer() async throws {
    let moment = try await DamageFixture.moment.value
    let main = moment.closed.main
    var random = Self.campaign.random()
    var damages: [(String, StoreFiles)] = []
    for page in 0..<moment.closed.pageCount {
      let range = StoreFiles.bytes(ofPage: page)
      damages.append(("page \(page + 1) zeroed", StoreFiles(main: main.zeroing(range), log: nil)))
      if Campaign.isLong || page % 8 == 0 {
        var rubbish = main
        for index in range { rubbish[index] = .random(in: 0...255, using: &random) }
        damages.append(("page \(page + 1) rubbish", StoreFiles(main: rubbish, log: nil)))
      }
      let others = page + 1..<moment.closed.pageCount
      for other in Campaign.isLong ? others : others.prefix(1) {
        let bytes = main.swapping(range, StoreFiles.bytes(ofPage: other))
        damages.append(
          ("pages \(page + 1) and \(other + 1) swapped", StoreFiles(main: bytes, log: nil)))
      }
    }
    let figures = try await examine(damages, [moment.states[0]])
    figures.expectNoFaults(seed)
    Self.campaign.report("pages: \(figures.text)")
  }

  @Test func truncatedOrExtendedFileIsReportedOrChangesNoAnswer() async throws {
    let moment = try await DamageFixture.moment.value
    let main = moment.closed.main
    var random = Self.campaign.random(1)
    var lengths = (1..<moment.closed.pageCount).map { $0 * StoreFiles.pageByteCount }
    lengths += (0..<Self.campaign.rounds(4, long: 400)).map { _ in
      Int.random(in: 1..<main.count, using: &random)
    }
    var damages = lengths.map { length in
      ("cut to \(length) bytes", StoreFiles(main: Array(main[..<length]), log: nil))
    }
    for count in [1, 100, StoreFiles.pageByteCount, 3 * StoreFiles.pageByteCount + 7] {
      let rubbish = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      damages.append(("\(count) bytes more", StoreFiles(main: main + rubbish, log: nil)))
    }
    let figures = try await examine(damages, [moment.states[0]])
    figures.expectNoFaults(seed)
    Self.campaign.report("lengths: \(figures.text)")
  }

  /// The write-ahead log is cut, has a flipped bit, or is gone. SQLite recovers it up to the first
  /// frame that is not as written, so the store has the state of the last commit before it.
  @Test func damagedOrMissingWALLeavesExactlyTheStateBeforeTheDamage() async throws {
    let moment = try await DamageFixture.moment.value
    let (main, log) = (moment.killed.main, try #require(moment.killed.log))
    try #require(moment.commitEnds.count == moment.states.count - 1)
    let store = try DamagedStore()
    defer { store.remove() }
    var random = Self.campaign.random(2)
    var figures = DamageFigures()
    func examine(_ log: [UInt8]?, wholeUpTo offset: Int, _ name: String) async throws {
      let verdict = try await store.examine(StoreFiles(main: main, log: log), moment.states)
      figures.note(verdict, newest: moment.states.count - 1, name)
      figures.demand(verdict, state: moment.recoveredState(upTo: offset), name)
    }
    try await examine(log, wholeUpTo: log.count, "the log as it is")
    try await examine(nil, wholeUpTo: 0, "the log dropped")
    try await examine(log + log.prefix(5000), wholeUpTo: log.count, "rubbish behind the log")
    let others = (0..<Self.campaign.rounds(4, long: 500)).map { _ in
      Int.random(in: 1..<log.count, using: &random)
    }
    for end in moment.killed.frameOffsets + others {
      try await examine(Array(log[..<end]), wholeUpTo: end, "the log cut to \(end) bytes")
    }
    // One in each field of the header, and some in the frames.
    let ofHeader = [0, 4, 8, 12, 16, 20, 24, 28].map { $0 * 8 + Int(Self.campaign.seed % 8) }
    for bit in ofHeader + sample(log.count * 8, share: 5, longStep: 97) {
      let frame = moment.killed.frameOffsets.last { $0 <= bit / 8 } ?? 0
      try await examine(log.flipping(bit: bit), wholeUpTo: frame, "bit \(bit) of the log")
    }
    for start in moment.killed.frameOffsets {
      let zeroed = log.zeroing(start..<start + StoreFiles.frameByteCount)
      try await examine(zeroed, wholeUpTo: start, "the frame at \(start) zeroed")
    }
    figures.expectNoFaults(seed)
    Self.campaign.report("logs: \(figures.text)")
  }

  /// SQLite plays back any write-ahead log beside a file, even one of another file. The result
  /// mixes pages that are each sound. Reading does not detect it; replaying the history does.
  @Test func walOfAnotherStoreOrTimeLeavesOneWholeStateOrFailsVerification() async throws {
    let fixture = try await DamageFixture(value: 0, momentCount: 3)
    let other = try await DamageFixture(value: 100).moments[0]
    let states = fixture.moments.flatMap(\.states) + other.states
    let store = try DamagedStore()
    defer { store.remove() }
    var figures = DamageFigures()
    for (index, moment) in fixture.moments.enumerated() {
      var logs = [("another store's log", other.killed.log)]
      for (time, later) in fixture.moments.enumerated() where time != index {
        logs.append(("log of \(time)", later.killed.log))
      }
      for (name, log) in logs {
        let files = StoreFiles(main: moment.closed.main, log: log)
        figures.note(
          try await store.examine(files, states), newest: -1, mayMix: true,
          "main of \(index), \(name)")
      }
    }
    figures.expectNoFaults(seed)
    Self.campaign.report("foreign logs: \(figures.text), \(figures.mixedCount) mixed and found")
  }

  /// Pages of the newest file as they were some commits ago.
  private func lostWrites() async throws -> (damages: [(String, StoreFiles)], DamageFixture) {
    let fixture = try await DamageFixture(value: 0, momentCount: 3)
    let newest = fixture.moments[2].closed
    var damages: [(String, StoreFiles)] = []
    for moment in 0..<2 {
      let old = fixture.moments[moment].closed
      for page in 0..<min(old.pageCount, newest.pageCount) {
        let range = StoreFiles.bytes(ofPage: page)
        guard old.main[range] != newest.main[range] else { continue }
        var main = newest.main
        main.replaceSubrange(range, with: old.main[range])
        damages.append(
          ("page \(page + 1) as at \(moment)", StoreFiles(main: main, log: nil)))
      }
    }
    return (damages, fixture)
  }

  /// Each page is sound by itself. `verify` ends, and finds it.
  @Test func lostWriteOfAPageIsReportedOrChangesNoAnswer() async throws {
    let (damages, fixture) = try await lostWrites()
    let figures = try await examine(damages, [fixture.moments[2].states[0]], mayMix: true)
    figures.expectNoFaults(seed)
    Self.campaign.report("lost writes: \(figures.text), \(figures.mixedCount) mixed and found")
  }

  /// No version is built upon a page that lost a write: it would be broken forever.
  @Test func commitAfterALostWriteIsRefusedOrWhole() async throws {
    let (damages, _) = try await lostWrites()
    let store = try DamagedStore()
    defer { store.remove() }
    var faults: [String] = []
    var refusedCount = 0
    for (name, files) in damages {
      for id in ["i3", DamageFixture.newID(0, 0), DamageFixture.newID(1, 2), "new"] {
        try files.write(to: store.path)
        do {
          let service = SyncService(store: try SQLiteStore(path: store.path, ifAbsent: .fail)) {
            TestStore.noon
          }
          let before = try await service.snapshot(of: .parks).snapshot.items
          let item = try TestHistory.item(id, 4711)
          _ = try await service.commit(
            CommitRequest(list: .parks, edits: [.put(item, .first)]))
          let after = try await service.snapshot(of: .parks).snapshot.items
          let expected = [item] + before.filter { $0.id != item.id }
          if after != expected { faults.append("\(name), \(id): another version") }
        } catch {
          refusedCount += 1
          if !DamagedStore.tellsOfDamage(error) { faults.append("\(name), \(id): \(error)") }
        }
      }
    }
    #expect(faults == [], seed)
    Self.campaign.report("commits after lost writes: \(refusedCount) refused")
    #expect(refusedCount > 0)
  }

  @Test func cursorOfAVersionThatWasLostWithTheWALHasDiverged() async throws {
    let moment = try await DamageFixture.moment.value
    let store = try TestStore()
    let path = store.path + ".cut"
    try StoreFiles(main: moment.killed.main, log: nil).write(to: path)
    let service = SyncService(store: try SQLiteStore(readingFrom: path)) { TestStore.noon }
    for (number, state) in moment.states.enumerated() {
      let since = Revision.cursor(state.cursor)
      if number == 0 {
        #expect(try await service.delta(of: .parks, since: since).changes.isEmpty)
      } else {
        await #expect(
          throws: ServiceError.diverged(state.cursor, list: .parks, here: moment.states[0].cursor)
        ) { try await service.delta(of: .parks, since: since) }
      }
    }
  }

  /// Commits go to the damaged store. Earlier queries are answered as before, or refused.
  @Test func commitToADamagedStoreIsRefusedOrLeavesEarlierAnswersUnchanged() async throws {
    let moment = try await DamageFixture.moment.value
    let main = moment.closed.main
    let store = try DamagedStore()
    defer { store.remove() }
    var (figures, refusedCount) = (DamageFigures(), 0)
    for bit in sample(main.count * 8, share: 12, longStep: 997) {
      let files = StoreFiles(main: main.flipping(bit: bit), log: nil)
      if try await !store.commit(to: files) { refusedCount += 1 }
      figures.note(
        try await store.examineEarlier(moment.states[0]), "bit \(bit), after a commit")
    }
    figures.expectNoFaults(seed)
    Self.campaign.report("commits: \(refusedCount) refused; then \(figures.text)")
  }
}
