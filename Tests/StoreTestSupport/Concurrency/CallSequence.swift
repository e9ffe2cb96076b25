import ListModel
import ListStore
import SQLiteStore
import SyncService
import TestSupport

/// The calls of one caller, and what it remembers from one to the next.
struct CallSequence {
  private typealias Outcome = RecordedCall.Outcome

  /// A list as the caller once read it.
  private struct Replica {
    let cursor: Cursor
    let snapshot: Snapshot
  }

  /// The answer of a call, and its time.
  private struct Asked<Answer> {
    let answer: Result<Answer, any Error>
    let invokedAt: UInt64
    let respondedAt: UInt64
  }

  private let caller: CampaignCaller
  private var store: any ListStore
  private var random: SeededRandom
  private var number = 0
  /// By list, the newest last.
  private var replicas: [ListName: [Replica]] = [:]
  private static let replicaCount = 8
  private var calls: [RecordedCall] = []

  init(_ caller: CampaignCaller, on store: any ListStore) {
    (self.caller, self.store) = (caller, store)
    random = SeededRandom(seed: caller.seed)
  }

  private var service: SyncService { SyncService(store: store) { TestStore.noon } }

  mutating func isTimeToReopen() -> Bool { Int.random(in: 0..<12, using: &random) == 0 }

  mutating func `continue`(on store: any ListStore) { self.store = store }

  /// Makes the next call, or a call and the one that follows from it.
  mutating func next() async -> [RecordedCall] {
    calls = []
    // So that callers do not merely queue for the store, one behind the other.
    try? await Task.sleep(for: .microseconds(Int.random(in: 0...15_000, using: &random)))
    switch caller.role {
    case .counter: await count()
    case .marker: await mark()
    case .replacer: await replace()
    case .reader: await read()
    case .pruner: await prune()
    }
    return calls
  }

  // MARK: - Writing

  private mutating func count() async {
    let (list, service) = (CampaignCaller.lists[0], service)
    let asked = await ask { try await service.snapshot(of: list) }
    note(asked, of: list) { .read(try $0.state.known, root: Root(of: $0.snapshot)) }
    guard case .success(let head) = asked.answer, let seen = head.state.cursor else { return }
    let change = RecordedCall.Change.count(head.snapshot.count + 1, by: caller.name)
    let new = change.applied(to: head.snapshot)
    let (author, message) = (caller.name, nextMessage)
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      var request = CommitRequest(list: list, snapshot: new)
      (request.author, request.message, request.expected) = (author, message, [.cursor(seen)])
      let sent = request
      await commit(change, to: list, expecting: seen) { try await service.commit(sent) }
    case 1:
      guard let item = change.placed else { return }
      var request = CommitRequest(list: list, edits: [.put(item, nil)])
      (request.author, request.message, request.expected) = (author, message, [.cursor(seen)])
      let sent = request
      await commit(change, to: list, expecting: seen) { try await service.commit(sent) }
    default:
      var request = CommitRequest(
        list: list,
        .changes(
          BareChanges(head.snapshot.changes(to: new)), from: head.state, to: ListState(of: new)))
      (request.author, request.message) = (author, message)
      let sent = request
      await commit(change, to: list, expecting: seen) { try await service.commit(sent) }
    }
  }

  private mutating func mark() async {
    let (list, service) = (CampaignCaller.lists[0], service)
    let change = RecordedCall.Change.mark(caller.name, number + 1)
    guard let item = change.placed else { return }
    var request = CommitRequest(list: list, edits: [.put(item, nil)])
    (request.author, request.message) = (caller.name, nextMessage)
    let sent = request
    await commit(change, to: list, expecting: nil) { try await service.commit(sent) }
  }

  private mutating func replace() async {
    let (list, service) = (CampaignCaller.lists[1], service)
    let change = RecordedCall.Change.whole(random.next())
    var request = CommitRequest(list: list, snapshot: change.applied(to: .empty))
    (request.author, request.message) = (caller.name, nextMessage)
    let sent = request
    await commit(change, to: list, expecting: nil) { try await service.commit(sent) }
  }

  private var nextMessage: String { "\(number + 1)" }

  private mutating func commit(
    _ change: RecordedCall.Change, to list: ListName, expecting expected: Cursor?,
    _ body: () async throws -> CommitOutcome
  ) async {
    note(await ask(body), of: list) { outcome in
      guard case .committed(let record) = outcome else { return .failed("it changed nothing") }
      return .committed(
        .init(
          state: record.cursor, root: record.root, expected: expected, change: change))
    }
  }

  // MARK: - Reading

  private mutating func read() async {
    let list = CampaignCaller.lists[Int.random(in: 0...1, using: &random)]
    let known = replicas[list, default: []]
    switch Int.random(in: 0..<6, using: &random) {
    case 0: await readLog(of: list)
    case 1: await readHead(of: list)
    default:
      // Mostly from where it is, now and then from where it was.
      let isOld = Int.random(in: 0..<3, using: &random) == 0
      guard let replica = isOld ? known.randomElement(using: &random) : known.last else {
        return await readHead(of: list)
      }
      await catchUp(list, from: replica)
    }
  }

  private mutating func readLog(of list: ListName) async {
    let service = service
    note(await ask { try await service.log(of: list, limit: 1) }, of: list) { log in
      guard let record = log.first else { return .failed("the log is empty") }
      return .read(record.cursor, root: record.root)
    }
  }

  private mutating func readHead(of list: ListName) async {
    let service = service
    let asked = await ask { try await service.snapshot(of: list) }
    note(asked, of: list) { .read(try $0.state.known, root: Root(of: $0.snapshot)) }
    guard case .success(let head) = asked.answer, let cursor = head.state.cursor else { return }
    remember(Replica(cursor: cursor, snapshot: head.snapshot), of: list)
  }

  private mutating func catchUp(_ list: ListName, from replica: Replica) async {
    let service = service
    var request = CatchUpRequest(list: list, since: .cursor(replica.cursor))
    if Int.random(in: 0..<3, using: &random) == 0 {
      request.changeLimit = Int.random(in: 1...40, using: &random)
    }
    let sent = request
    let asked = await ask { try await service.catchUp(sent) }
    var reached: Replica?
    note(asked, of: list, since: replica.cursor) { answer in
      guard case .changes(let delta) = answer else { return .failed("nobody wanted a snapshot") }
      let snapshot = try replica.snapshot.applying(delta.changes)
      let (from, to) = (try delta.from.known, try delta.to.known)
      reached = Replica(cursor: to, snapshot: snapshot)
      return .caughtUp(
        .init(
          from: from, to: to, root: Root(of: snapshot),
          digest: ChangeDigest.of(delta.changes), oldest: delta.oldest ?? .zero,
          more: delta.more))
    }
    if let reached {
      remember(reached, of: list)
    } else {
      replicas[list]?.removeAll { $0.cursor == replica.cursor }
    }
  }

  private mutating func remember(_ replica: Replica, of list: ListName) {
    replicas[list, default: []].append(replica)
    if replicas[list, default: []].count > Self.replicaCount { replicas[list]?.removeFirst() }
  }

  // MARK: - Pruning

  private mutating func prune() async {
    let (list, service, store) = (
      CampaignCaller.lists[Int.random(in: 0...1, using: &random)], service, store
    )
    if Int.random(in: 0..<16, using: &random) == 0, let file = store as? SQLiteStore {
      note(await ask { try await file.vacuum() }, of: list) { _ in .tidied }
      return
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: return note(await ask { try await service.compact(list) }, of: list) { _ in .tidied }
    case 2:
      return note(await ask { try await service.compactIfDue(list) }, of: list) { _ in .tidied }
    default: break
    }
    let count = Int.random(in: 1...8, using: &random)
    let request = PruneRequest(list: list, rule: RetentionRule(keepLast: count)!)
    note(await ask { try await service.prune(request) }, of: list) { outcome in
      guard let oldest = outcome.plan.floor else { return .failed("there are no versions") }
      return .pruned(keepLast: count, oldest: oldest)
    }
  }

  // MARK: - Recording

  private func ask<Answer>(_ body: () async throws -> Answer) async -> Asked<Answer> {
    let invokedAt = SharedClock.nanoseconds
    let answer: Result<Answer, any Error>
    do { answer = .success(try await body()) } catch { answer = .failure(error) }
    return Asked(
      answer: answer, invokedAt: invokedAt, respondedAt: SharedClock.nanoseconds)
  }

  private mutating func note<Answer>(
    _ asked: Asked<Answer>, of list: ListName, since: Cursor? = nil,
    _ outcome: (Answer) throws -> RecordedCall.Outcome
  ) {
    number += 1
    calls.append(
      RecordedCall(
        caller: caller.name, number: number, list: list.text, invokedAt: asked.invokedAt,
        respondedAt: asked.respondedAt,
        outcome: Self.outcome(since: since) { try outcome(asked.answer.get()) }))
  }

  /// The outcome of a call; each expected refusal has its own name.
  private static func outcome(
    since: Cursor?, _ body: () throws -> RecordedCall.Outcome
  ) -> RecordedCall.Outcome {
    do {
      return try body()
    } catch ServiceError.expectationFailed(let expected, _, let head) {
      guard case .cursor(let expected)? = expected.first else { return .failed("\(expected)") }
      return .refused(expected: expected, head: head)
    } catch ServiceError.notTheStart(let expected?, _, let head) {
      return .refused(expected: expected, head: head)
    } catch ServiceError.tooOld(_, _, let oldest, _) {
      guard let since else { return .failed("it is too old, and named no version") }
      return .tooOld(since: since, oldest: oldest)
    } catch StoreError.busy {
      return .busy
    } catch {
      return .failed("\(error)")
    }
  }
}

extension ListState {
  fileprivate var known: Cursor {
    get throws {
      guard let cursor else { throw StoreError.corrupt(reason: "a stored state has no cursor") }
      return cursor
    }
  }
}
