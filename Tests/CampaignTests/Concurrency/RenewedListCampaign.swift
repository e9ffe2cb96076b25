import ListModel
import ListStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import Synchronization
import TestSupport
import Testing

/// Readers at work while their list is dropped, renamed and begun again. Each answer is of one
/// history, or refused by name, also the answers that take several transactions.
@Suite struct RenewedListCampaign {
  @Test(.timeLimit(.minutes(Hang.minutes)), arguments: StoreEngine.here)
  func eachAnswerIsOfOneHistoryWhileTheNameChangesHands(_ engine: StoreEngine) async throws {
    let campaign = Campaign("renewed list, \(engine.rawValue)")
    let test = try CampaignStore(engine)
    let end = End()
    var writer = Renewal(test.service, campaign.random())
    try await writer.begin()
    let readings = try await withThrowingTaskGroup(of: RenewedReader.self) { group in
      for number in 1...4 {
        let store = try test.place.open(.reading)
        let random = campaign.random(number)
        group.addTask {
          var reader = RenewedReader(SyncService(store: store) { TestStore.noon }, random)
          while !end.isThere.withLock({ $0 }) { await reader.read() }
          return reader
        }
      }
      do {
        defer { end.isThere.withLock { $0 = true } }
        for _ in 0..<campaign.rounds(5, long: 400) { try await writer.renew() }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let faults = readings.flatMap { $0.faults(in: writer.known) }
    #expect(faults == [], "seed \(campaign.seed)")
    #expect(try await test.service.verify(depth: .everything).faults == [])
    let answerCount = readings.map(\.answers.count).reduce(0, +)
    let refusalCount = readings.map(\.refusalCount).reduce(0, +)
    #expect(answerCount > 0 && refusalCount > 0)
    campaign.report("\(answerCount) answers of one history each, \(refusalCount) refused by name")
  }
}

/// Whether the writer is done.
private final class End: Sendable {
  let isThere = Mutex(false)
}

/// Histories of one name, one after the other.
private struct Renewal {
  /// A version, and the history that it belongs to.
  struct Known {
    let history: Int
    let snapshot: Snapshot
  }

  private let service: SyncService
  private var random: SeededRandom
  private var history = 0
  private(set) var known: [Cursor: Known] = [:]

  init(_ service: SyncService, _ random: SeededRandom) {
    (self.service, self.random) = (service, random)
  }

  /// Begins the name again with some versions.
  mutating func begin() async throws {
    history += 1
    for _ in 0..<random.number(2...9) { try await commit() }
  }

  private mutating func commit() async throws {
    var items = (0..<random.number(1...12)).map { KillAct.item("i\($0)", random.number(0...3)) }
    // No two versions are alike.
    items.append(KillAct.item("mark", known.count))
    let snapshot = Snapshot(uniqueItems: items.shuffled(using: &random))
    var request = CommitRequest(list: .parks, snapshot: snapshot)
    request.beginsAgain = true
    let state = try await service.commit(request).state
    guard let cursor = state.cursor else { throw Victim.Loss(description: "no cursor") }
    known[cursor] = Known(history: history, snapshot: snapshot)
  }

  /// Gives the list away, and begins the next one.
  mutating func renew() async throws {
    if random.chance(3) { try await service.prune(keepLast: random.number(1...3)) }
    let aside = ListName("aside-\(history)")!
    if random.chance(3) {
      _ = try await service.rename(DepartureRequest(list: .parks), to: aside)
      if random.chance(2) {
        _ = try await service.rename(DepartureRequest(list: aside), to: .parks)
        try await commit()
      }
    }
    do {
      _ = try await service.drop(DepartureRequest(list: .parks))
    } catch ServiceError.gone {
      _ = try await service.drop(DepartureRequest(list: aside))
    }
    if random.chance(2) { try await Task.sleep(for: .milliseconds(1)) }
    try await begin()
  }
}

/// A reader of the name, and the answers that it got.
private struct RenewedReader {
  /// The versions that an answer names, with their items where it gives them.
  struct Answer {
    let query: String
    var sights: [(cursor: Cursor, snapshot: Snapshot?)] = []
  }

  private let service: SyncService
  private var random: SeededRandom
  /// What the reader last saw.
  private var seen: (cursor: Cursor, snapshot: Snapshot)?
  private(set) var answers: [Answer] = []
  private(set) var refusalCount = 0
  private var failures: [String] = []

  init(_ service: SyncService, _ random: SeededRandom) {
    (self.service, self.random) = (service, random)
  }

  mutating func read() async {
    let query = ["show", "replay", "replay back", "delta", "export", "history"][
      random.number(0...5)]
    do {
      answers.append(try await answer(query))
    } catch ServiceError.gone, ServiceError.diverged, ServiceError.tooOld {
      refusalCount += 1
      // As a client does, start over.
      seen = nil
    } catch {
      failures.append("\(query): \(error)")
    }
  }

  private mutating func answer(_ query: String) async throws -> Answer {
    var answer = Answer(query: query)
    switch query {
    case "show":
      let found = try await service.snapshot(of: .parks)
      answer.sights = [(try found.state.known, found.snapshot)]
      seen = (try found.state.known, found.snapshot)
    case "replay", "replay back":
      let (zero, head): (Revision, Revision) = (.version(.zero), .head)
      let (from, to) = query == "replay" ? (zero, head) : (head, zero)
      try await service.replay(.parks, from: from, to: to) { delta in
        let from = try delta.from.known
        if let last = answer.sights.last, last.cursor != from {
          failures.append("a replay goes on from \(from) after \(last.cursor)")
        }
        let old = answer.sights.last?.snapshot ?? (from.version == .zero ? .empty : nil)
        answer.sights += [
          (from, old), (try delta.to.known, try old?.applying(delta.changes)),
        ]
        await Task.yield()
      }
    case "delta":
      guard let seen else { return try await self.answer("show") }
      let delta = try await service.delta(of: .parks, since: .cursor(seen.cursor))
      let snapshot = try seen.snapshot.applying(delta.changes)
      answer.sights = [(seen.cursor, seen.snapshot), (try delta.to.known, snapshot)]
      self.seen = (try delta.to.known, snapshot)
    case "export":
      var request = ExportRequest(list: .parks)
      request.batchCount = 1
      let range = try await TestRange(request, from: service)
      for case .step(let step) in range.parts { answer.sights.append((step.to.knownCursor, nil)) }
      answer.sights.append((range.range.target.knownCursor, nil))
    default:
      answer.sights = try await service.history(of: "mark", in: .parks).map {
        ($0.record.cursor, nil)
      }
    }
    return answer
  }

  func faults(in known: [Cursor: Renewal.Known]) -> [String] {
    failures
      + answers.flatMap { answer -> [String] in
        let sights = answer.sights.filter { $0.cursor.version > .zero }
        let histories = Set(sights.map { known[$0.cursor]?.history ?? -1 })
        let names = sights.map(\.cursor.description).joined(separator: ", ")
        let wrong = sights.filter { sight in
          sight.snapshot.map { $0 != known[sight.cursor]?.snapshot } ?? false
        }
        return
          (histories.count > 1 || histories.contains(-1)
          ? ["\(answer.query) has versions of histories \(histories.sorted()): \(names)"] : [])
          + wrong.map { "\(answer.query) has other items at \($0.cursor)" }
      }
  }
}

extension ListState {
  fileprivate var known: Cursor {
    get throws {
      guard let cursor else { throw Victim.Loss(description: "a stored state has no cursor") }
      return cursor
    }
  }
}
