import Foundation
import ListChanges
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Files that are no longer what was written: every question to them is answered as before, or
/// refused as damaged; never otherwise.
///
/// Digests tell of rows that are not what was written, and not of an index that leaves a row out:
/// then a list or an item is said not to be there, or an item's history is shorter. `verify` finds
/// it.
///
/// Two more things a file cannot tell. Where a write-ahead log was dropped or cut, the store is
/// what it was before the last commits, and a client that knows of them is told that it diverged.
/// And where the log of another file was put beside it, SQLite plays that back, which `verify`
/// finds.
@Suite(.timeLimit(.minutes(120))) struct DamageCampaign {
  private static let campaign = Campaign("damage")
  private var seed: Comment { "seed \(Self.campaign.seed)" }

  /// Examines a damage of the closed store, or of the one whose writer was killed.
  private func examine(
    _ damages: [(String, StoreFiles)], _ states: [DamageFixture.State], newest: Int = 0
  ) async throws -> DamageFigures {
    let store = try DamagedStore()
    defer { store.remove() }
    var figures = DamageFigures()
    for (name, files) in damages {
      figures.note(try await store.examine(files, states), newest: newest, name)
    }
    return figures
  }

  /// Numbers below a count: all those in the long form that are a multiple of a step behind a first
  /// one, which the seed gives, so that several seeds meet all; few of them in the short one.
  private func sample(_ count: Int, share: Int, longStep: Int) -> [Int] {
    let step = Campaign.isLong ? longStep : max(1, count / share)
    return Array(stride(from: Int(Self.campaign.seed % UInt64(step)), to: count, by: step))
  }

  @Test("a flipped bit of the store is named, or changes no answer")
  func flippedBits() async throws {
    let moment = try await DamageFixture(value: 0).moments[0]
    let main = moment.closed.main
    let store = try DamagedStore()
    defer { store.remove() }
    var figures = DamageFigures()
    for bit in sample(main.count * 8, share: 120, longStep: 97) {
      let files = StoreFiles(main: main.flipping(bit: bit), log: nil)
      let verdict = try await store.examine(files, [moment.states[0]])
      figures.note(verdict, "bit \(bit) of page \(bit / 8 / StoreFiles.pageByteCount + 1)")
    }
    figures.expectNoFaults(seed)
    Self.campaign.report("flipped bits: \(figures.text)")
  }

  @Test("a page that is empty, another one, or rubbish is named, or changes no answer")
  func pages() async throws {
    let moment = try await DamageFixture(value: 0).moments[0]
    let main = moment.closed.main
    var random = Self.campaign.random()
    var damages: [(String, StoreFiles)] = []
    for page in 0..<moment.closed.pageCount {
      let range = StoreFiles.bytes(ofPage: page)
      damages.append(("page \(page + 1) zeroed", StoreFiles(main: main.zeroing(range), log: nil)))
      if Campaign.isLong || page % 4 == 0 {
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

  @Test("a file that is cut, or goes on behind its end, is named, or changes no answer")
  func lengths() async throws {
    let moment = try await DamageFixture(value: 0).moments[0]
    let main = moment.closed.main
    var random = Self.campaign.random(1)
    var lengths = (1..<moment.closed.pageCount).map { $0 * StoreFiles.pageByteCount }
    lengths += (0..<Self.campaign.rounds(20, long: 400)).map { _ in
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

  @Test("a log that is cut, flipped or gone leaves an earlier state as it was, or is named")
  func logs() async throws {
    let moment = try await DamageFixture(value: 0).moments[0]
    let (main, log) = (moment.killed.main, try #require(moment.killed.log))
    let frame = StoreFiles.pageByteCount + 24
    var random = Self.campaign.random(2)
    func damaged(_ log: [UInt8]?) -> StoreFiles { StoreFiles(main: main, log: log) }
    var damages = [("the log as it is", damaged(log)), ("the log dropped", damaged(nil))]
    let frames = Array(stride(from: 32, to: log.count, by: frame))
    let others = (0..<Self.campaign.rounds(20, long: 500)).map { _ in
      Int.random(in: 1..<log.count, using: &random)
    }
    for end in frames + others {
      damages.append(("the log cut to \(end) bytes", damaged(Array(log[..<end]))))
    }
    for bit in sample(log.count * 8, share: 40, longStep: 97) {
      damages.append(("bit \(bit) of the log", damaged(log.flipping(bit: bit))))
    }
    for start in frames {
      let range = start..<min(start + frame, log.count)
      damages.append(("the frame at \(start) zeroed", damaged(log.zeroing(range))))
    }
    damages.append(("rubbish behind the log", damaged(log + log.prefix(5000))))
    let figures = try await examine(damages, moment.states, newest: moment.states.count - 1)
    figures.expectNoFaults(seed)
    Self.campaign.report("logs: \(figures.text)")
  }

  /// SQLite plays back whatever log lies beside a file, of whichever file it is: a mixture of
  /// pages, each of them sound. Reading does not tell; replaying the history does.
  @Test(
    "a log of another store, or of another time, leaves one state as it was, or verify finds it")
  func foreignLogs() async throws {
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

  @Test("a client that knows of versions which went with a log is told that it diverged")
  func lostVersions() async throws {
    let moment = try await DamageFixture(value: 0).moments[0]
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

  /// Commits go to what is left; what was there before is answered as before, or refused.
  @Test("a commit to a damaged store is refused, or leaves every earlier answer as it was")
  func commits() async throws {
    let moment = try await DamageFixture(value: 0).moments[0]
    let main = moment.closed.main
    let store = try DamagedStore()
    defer { store.remove() }
    var (figures, refusedCount) = (DamageFigures(), 0)
    for bit in sample(main.count * 8, share: 25, longStep: 997) {
      let files = StoreFiles(main: main.flipping(bit: bit), log: nil)
      if try await !store.commit(to: files) { refusedCount += 1 }
      figures.note(
        try await store.examineEarlier(moment.states[0]), "bit \(bit), after a commit")
    }
    figures.expectNoFaults(seed)
    Self.campaign.report("commits: \(refusedCount) refused; then \(figures.text)")
  }
}
