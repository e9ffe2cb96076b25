import Foundation
import ListChanges
import ListModel
import ListStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Clients with full cursors of another history. The store refuses each of their requests as
/// diverged, and never gives a delta.
///
/// The chain of a pruned version is gone, so it cannot be compared. There the answer is too-old for
/// the cursor of any history, and leads the client to the whole list as well.
@Suite struct DivergenceCampaign {
  private struct Figures {
    var histories = 0
    var foreignCursors = 0
    var refusals = 0
    var ownCursors = 0

    var text: String {
      """
      \(histories) histories met \(foreignCursors) cursors of others: \(refusals) queries, each \
      refused by name; \(ownCursors) cursors from before the fork caught up
      """
    }
  }

  @Test(arguments: StoreEngine.here)
  func cursorOfAForkedHistoryGetsADeltaOnlyFromBeforeTheFork(_ engine: StoreEngine) async throws {
    let campaign = Campaign("divergence, \(engine.rawValue)")
    var figures = Figures()
    for round in 0..<campaign.rounds(2, long: engine == .sqlite ? 250 : 40) {
      var random = campaign.random(round)
      let context = "seed \(campaign.seed), round \(round)"
      var old = HistoryLine(try CampaignStore(engine))
      try await old.commitRandomVersions(.random(in: 2...6, using: &random), &random)
      let backup = try await BackedUpLine(of: old)
      try await old.commitRandomVersions(.random(in: 1...4, using: &random), &random)

      for line in try await others(than: old, backup, engine, &random) {
        figures.histories += 1
        try await meet(line, of: old, "\(context), \(line.name)", &figures)
      }
    }
    campaign.report(figures.text)
  }

  private typealias Other = (name: String, line: HistoryLine)

  /// Stores whose list is another one, or has another history now.
  private func others(
    than old: HistoryLine, _ backup: BackedUpLine, _ engine: StoreEngine,
    _ random: inout SeededRandom
  ) async throws -> [Other] {
    let restored = try await backup.restored()
    var gone = try await backup.restored()
    try await gone.commitRandomVersions(.random(in: 1...6, using: &random), &random)
    var again = HistoryLine(try CampaignStore(engine))
    for (snapshot, time) in zip(old.snapshots, old.times).dropFirst() {
      let later = Timestamp(millisecondsSince1970: time.millisecondsSince1970 + 1)
      try await again.commit(snapshot, at: later)
    }
    var namesake = HistoryLine(try CampaignStore(engine))
    try await namesake.commitRandomVersions(.random(in: 1...9, using: &random), &random)
    var pruned = try await backup.restored()
    try await pruned.commitRandomVersions(.random(in: 1...6, using: &random), &random)
    try await pruned.service.prune(
      keepLast: .random(in: 1...(pruned.head - restored.head + 1), using: &random))
    return [
      ("restored, and as it was", restored), ("restored, and gone on", gone),
      ("made again with the same snapshots at other times", again),
      ("a list of the same name", namesake), ("restored, gone on and pruned", pruned),
    ]
  }

  private func meet(
    _ other: Other, of old: HistoryLine, _ context: String, _ figures: inout Figures
  ) async throws {
    let line = other.line
    var cursors = old.cursors
    // Versions of the future, with the chain of the newest version and with a chain of none.
    for (version, text) in [(line.head + 1, line.cursors[line.head].chainPrefix), (Int.max, "0")] {
      let digits = text.count > 1 ? text : String(repeating: text, count: Cursor.digitCount)
      cursors.append(try #require(Cursor("\(version)-\(digits)")))
    }
    let oldest = try #require(try await line.service.lists().first).oldest
    for cursor in cursors {
      if line.holds(cursor) {
        guard cursor.version == .zero || cursor.version >= oldest else { continue }
        try await expectCatchUp(from: cursor, line, context)
        figures.ownCursors += 1
      } else {
        let foreign = try await ForeignCursor(cursor, to: line, context)
        figures.foreignCursors += 1
        figures.refusals += try await foreign.expectRefusals()
        figures.refusals += try await expectRefusedChanges(since: cursor, of: old, line, context)
      }
    }
  }

  /// A cursor from before the fork leads to the head.
  private func expectCatchUp(
    from cursor: Cursor, _ line: HistoryLine, _ context: String
  ) async throws {
    let comment = Comment(rawValue: "\(context), \(cursor)")
    let delta = try await line.service.delta(of: .parks, since: .cursor(cursor))
    let own = line.snapshots[cursor.version.number]
    #expect(delta.changes == own.changes(to: line.snapshots[line.head]), comment)
    #expect(delta.from.cursor == cursor && delta.to.cursor == line.cursors[line.head], comment)
  }

  /// The other history's changes do not fit here: a delta document from its version, and its
  /// versions since then.
  private func expectRefusedChanges(
    since cursor: Cursor, of old: HistoryLine, _ line: HistoryLine, _ context: String
  ) async throws -> Int {
    guard old.holds(cursor), cursor.version.number < old.head else { return 0 }
    let comment = Comment(rawValue: "\(context), from \(cursor)")
    let head = line.cursors[line.head]
    let delta = try await old.service.delta(
      of: .parks, since: .cursor(cursor), to: .version(cursor.version.next))
    let request = CommitRequest(
      list: .parks, .changes(BareChanges(delta.changes), from: delta.from, to: delta.to))
    await #expect(
      throws: ServiceError.notTheStart(
        expected: cursor, list: .parks, head: head), comment
    ) { try await line.service.commit(request) }
    let source = try await VersionSteps(of: old.service, since: .cursor(cursor))
    let target = old.cursors[old.head]
    let oldest = try #require(try await line.service.lists().first).oldest
    await #expect(comment) {
      try await line.service.apply { source }
    } throws: { error in
      switch error as? ServiceError {
      case .diverged: cursor.version <= head.version && target.version >= oldest
      // If the versions begin after the head, there is nothing to compare.
      case .tooNew: cursor.version > head.version
      // The same if they end before the oldest version.
      case .endsTooOld: target.version < oldest
      default: false
      }
    }
    #expect(try await line.service.lists().first?.head.cursor == head, comment)
    return 2
  }

  /// A plain `7` names no history, and means this store's version 7.
  /// Only a full cursor distinguishes one history from another.
  @Test func plainVersionNumberIsNotCheckedAgainstTheHistory() async throws {
    let (one, other) = (try TestStore(), try TestStore())
    for texts in [["a"], ["a", "b"]] {
      _ = try await one.service.commit(.init(list: .parks, snapshot: try .of(texts)))
      _ = try await other.service.commit(.init(list: .parks, snapshot: try .of(texts + ["c"])))
    }
    let delta = try await one.service.delta(of: .parks, since: .version(Version(1)))
    #expect(delta.changes.inserted.map(\.element.id) == ["b"])
    let cursor = try #require(try await other.service.log(of: .parks).last).cursor
    await #expect(throws: ServiceError.self) {
      try await one.service.delta(of: .parks, since: .cursor(cursor))
    }
  }

  @Test(arguments: StoreEngine.here)
  func sameCommitsAtTheSameTimesGiveTheSameHistoryInEveryStore(_ engine: StoreEngine) async throws {
    var random = Campaign("divergence").random(-1)
    var one = HistoryLine(try CampaignStore(.sqlite))
    try await one.commitRandomVersions(5, &random)
    var other = HistoryLine(try CampaignStore(engine))
    for (snapshot, time) in zip(one.snapshots, one.times).dropFirst() {
      try await other.commit(snapshot, at: time)
    }
    #expect(one.cursors == other.cursors, "seed \(random.seed)")
    for cursor in one.cursors {
      #expect(
        try await one.service.delta(of: .parks, since: .cursor(cursor))
          == other.service.delta(of: .parks, since: .cursor(cursor)), "seed \(random.seed)")
    }
  }
}
