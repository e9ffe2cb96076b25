import ListChangesTesting
import ListModel
import TestSupport

@testable import SyncClient

/// One client that uses a session, as programs do, over a held network. The test chooses each step
/// when the session has nothing left to do by itself.
final class SessionRun {
  private let server: LiveServer
  private let place: ReplicaPlace
  private let options: ReplicaMachine.Options
  private var random: SeededRandom
  private var network = HeldNetwork()
  private var session: ReplicaSession
  private var updates: ReplicaUpdates<Item>
  private var view = CollectionViewSimulator<Item>(showing: [[]])
  private var shown = Cursor(version: .zero, chain: .zero)
  private var given: [WireAnswer] = []
  private var seconds = 0.0
  private(set) var updateCount = 0
  private(set) var requestCount = 0
  private(set) var restartCount = 0

  init(_ server: LiveServer, seed: UInt64) throws {
    self.server = server
    random = SeededRandom(seed: seed)
    let list = LiveServer.lists[0]
    options = ReplicaMachine.Options(
      list: list, watches: !random.chance(5), changeLimit: random.chance(3) ? 2 : nil)
    place = try ReplicaPlace(random.chance(2) ? .file(.startOver) : .lasting, list)
    session = ReplicaSession(
      options, transport: network, storage: place.open(), clock: network.clock)
    updates = session.updates().makeAsyncIterator()
  }

  func run(stepCount: Int) async throws {
    try await session.start()
    for _ in 0..<stepCount { try await takeStep() }
    for _ in 0..<60 {
      if try await hasHead() { break }
      try await goOn(isCalm: true)
    }
    guard try await hasHead() else {
      throw Violation("the session does not come to the list: \(await session.state)")
    }
    try await look()
    try require(
      view.displayed == [server.snapshot(of: options.list).items], "the view shows another list")
    await session.stop()
  }

  private func takeStep() async throws {
    switch random.number(1...16) {
    case 1...3: try await changeServer()
    case 4: await session.pause()
    case 5: await session.resume()
    case 6 where random.chance(3): try await restart()
    case 7, 8: try await look()
    default: try await goOn(isCalm: false)
    }
  }

  private func changeServer() async throws {
    seconds += 1
    let kinds: [ServerAct.Kind] = [.commit, .commit, .commit, .edit, .backup, .restore, .prune]
    try await server.perform(
      ServerAct(
        seconds: seconds, kind: random.element(of: kinds), lagSeconds: 0, seed: random.next()))
    try await server.notice()
  }

  /// Ends the process, and starts another.
  private func restart() async throws {
    restartCount += 1
    _ = try await quiet()
    await session.stop()
    network = HeldNetwork()
    place.end()
    session = ReplicaSession(
      options, transport: network, storage: place.open(), clock: network.clock)
    updates = session.updates().makeAsyncIterator()
    view = CollectionViewSimulator(showing: [[]])
    shown = Cursor(version: .zero, chain: .zero)
    try await session.start()
  }

  /// Provides whatever the session waits for.
  private func goOn(isCalm: Bool) async throws {
    switch try await quiet() {
    case .asking(let request):
      requestCount += 1
      network.end(request.number, try await response(to: request, isCalm: isCalm))
    case .waiting: network.wake()
    case .current, .paused, .failed: await session.resume()
    case .idle, .saving, .stopped: break
    }
  }

  /// The state once the session can do nothing by itself.
  private func quiet() async throws -> ReplicaMachine.State {
    for _ in 0..<1_000_000 {
      let state = await session.state
      switch state {
      case .asking(let request): if network.holds(request) { return state }
      case .waiting: if network.isAsleep { return state }
      case .saving: break
      case .idle, .current, .paused, .stopped, .failed: return state
      }
      await Task.yield()
    }
    throw Violation("the session hangs: \(await session.state)")
  }

  private func response(
    to request: ReplicaRequest, isCalm: Bool
  ) async throws -> ReplicaResponse? {
    let asked = request.withoutWait
    var answer = try await server.answer(asked.target, asked.headers)
    given.append(answer)
    switch isCalm ? 0 : random.number(1...10) {
    case 1: return nil
    case 2: answer = random.element(of: given)
    case 3 where !answer.body.isEmpty:
      answer.body[random.number(0...answer.body.count - 1)] ^= UInt8(1 << random.number(0...7))
    default: break
    }
    return answer.unpacked
  }

  /// The view asks for updates if there are any.
  private func look() async throws {
    _ = try await quiet()
    if await session.copy.cursor == shown { return }
    guard let update = try await updates.next() else { return }
    updateCount += 1
    try require(update.before == view.displayed[0], "an update begins with another list")
    try view.performBatchUpdates(update.batchUpdates, showing: update.after)
    try require(view.displayed == [update.after], "the update's batch shows another list")
    shown = update.to.cursor ?? shown
    // A cursor may be false, since no root covers it; the list always belongs to some version.
    let known = server.known[options.list]
    let isKnown =
      try known?.snapshot(shown).map { $0.items == update.after }
      ?? known?.has(Snapshot(update.after)) ?? false
    try require(isKnown, "the list at \(shown) is no version that there ever was")
  }

  private func hasHead() async throws -> Bool {
    _ = try await quiet()
    let copy = await session.copy
    return copy.cursor == server.head(of: options.list)
      && copy.snapshot == server.snapshot(of: options.list)
  }
}

extension ReplicaRequest {
  /// The same request without a wait: the server does not use the simulated clock.
  var withoutWait: ReplicaRequest {
    guard waitSeconds > 0 else { return self }
    return ReplicaRequest(
      number: number, list: list, purpose: .watch(waitSeconds: 0), since: since,
      changeLimit: changeLimit)
  }
}
