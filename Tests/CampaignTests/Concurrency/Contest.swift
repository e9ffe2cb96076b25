import ListModel
import ListStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport

/// All callers use one store at the same time: as processes, as tasks on one object, or both.
struct Contest {
  enum Arrangement: String, CaseIterable, Sendable {
    case processes, tasks, mixed

    func isProcess(_ caller: CampaignCaller) -> Bool {
      switch self {
      case .processes: true
      case .tasks: false
      case .mixed: caller.index % 2 == 0
      }
    }
  }

  /// The result: the calls by list, and the faults of the store itself.
  struct Result: Sendable {
    let histories: [CallHistory]
    let storeFaults: [String]
  }

  private let test: CampaignStore
  private let callers: [CampaignCaller]
  private let arrangement: Arrangement

  init(
    _ arrangement: Arrangement, on engine: StoreEngine, callCount: Int, seed: UInt64
  ) throws {
    test = try CampaignStore(engine)
    callers = CampaignCaller.all(callCount: callCount, seed: seed)
    self.arrangement = arrangement
  }

  func run() async throws -> Result {
    var calls = try await firstVersions()
    let startAt = SharedClock.nanoseconds + 300_000_000
    calls += try await withThrowingTaskGroup(of: [RecordedCall].self) { group in
      for caller in callers {
        group.addTask {
          arrangement.isProcess(caller)
            ? try await process(caller, startAt: startAt) : try await task(caller)
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let report = try await test.service.verify(depth: .everything)
    return Result(
      histories: try await histories(of: calls),
      storeFaults: report.faults.map { "\($0)" })
  }

  /// Gives every list a version before any caller reads it.
  private func firstVersions() async throws -> [RecordedCall] {
    var setUp = CallSetUp()
    return try await CampaignCaller.lists.asyncMap { try await setUp.commit($0, to: test.service) }
  }

  private func process(_ caller: CampaignCaller, startAt: UInt64) async throws -> [RecordedCall] {
    let outcome = try await WorkerProcess.run([
      "call", test.place.description, caller.role.rawValue, "\(caller.index)", "\(caller.seed)",
      "\(caller.callCount)", "\(startAt)",
    ])
    guard outcome.exitCode == 0, !outcome.isKilled else {
      throw Victim.Loss(description: "\(caller.name) failed: \(outcome.lines.last ?? "")")
    }
    return try outcome.lines.map { try RecordedCall(line: $0) }
  }

  private func task(_ caller: CampaignCaller) async throws -> [RecordedCall] {
    var calls: [RecordedCall] = []
    try await caller.run(reopens: false, open: { test.store }, receive: { calls.append($0) })
    return calls
  }

  private func histories(of calls: [RecordedCall]) async throws -> [CallHistory] {
    let service = test.service
    return try await service.lists().asyncMap { list in
      CallHistory(
        calls: calls.filter { $0.list == list.name.text },
        final: .init(
          oldest: list.oldest, log: try await service.log(of: list.name),
          head: try await service.snapshot(of: list.name).snapshot))
    }
  }
}

/// The commits before all others.
private struct CallSetUp {
  private var number = 0

  mutating func commit(_ list: ListName, to service: SyncService) async throws -> RecordedCall {
    number += 1
    let change = RecordedCall.Change.mark("setup", number)
    var request = CommitRequest(list: list, snapshot: change.applied(to: .empty))
    (request.author, request.message) = ("setup", "\(number)")
    let invokedAt = SharedClock.nanoseconds
    let state = try await service.commit(request).state
    guard let cursor = state.cursor else { throw Victim.Loss(description: "no first version") }
    return RecordedCall(
      caller: "setup", number: number, list: list.text, invokedAt: invokedAt,
      respondedAt: SharedClock.nanoseconds,
      outcome: .committed(
        .init(state: cursor, root: state.root, expected: nil, change: change)))
  }
}

extension Array {
  fileprivate func asyncMap<Other>(
    _ transform: (Element) async throws -> Other
  ) async rethrows -> [Other] {
    var others: [Other] = []
    for element in self { others.append(try await transform(element)) }
    return others
  }
}
