import ListChangesTesting
import ListDocuments
import ListModel
import SyncClient
import TestSupport

/// The events of clients, and their reactions.
extension LossyRun {
  func begin(_ client: SimulatedClient, _ life: Int) async throws {
    guard client.life == life else { return }
    client.life += 1
    client.place.end()
    (client.machine, client.refusal, client.outstanding) = (nil, nil, nil)
    client.pendingSave = nil
    client.beginAnew(at: now)
    let copy: ListCopy
    do {
      copy = try await client.place.open().load()
    } catch {
      note("client \(client.index) cannot begin: \(error)")
      client.refusal = error
      tally.add(error)
      return try client.judgeFailure(error)
    }
    note("client \(client.index) begins at \(copy.cursor)")
    try client.judgeLoaded(copy, server)
    (client.saved, client.shown, client.perhapsSaved) = (copy, copy, nil)
    client.view.reloadData(showing: [copy.snapshot.items])
    client.machine = ReplicaMachine(client.options)
    try tell(.start(copy), client)
  }

  /// Receives an answer; nil means a broken connection.
  func take(_ response: ReplicaResponse?, _ exchange: Exchange, isFalse: Bool) throws {
    let client = clients[exchange.client]
    guard client.life == exchange.life, let machine = client.machine else { return }
    let request = exchange.request
    let answer =
      response.map { ReplicaAnswer($0, to: request) } ?? .unavailable(.network(reason: "it broke"))
    var random = random(exchange, 2)
    let timing = ReplicaMachine.ResponseTiming(
      elapsedSeconds: now - exchange.sentAt, random: .random(in: 0..<1, using: &random))
    let event = ReplicaMachine.Event.answered(request.number, answer, timing)
    if client.outstanding != request.number { return try tellLate(event, client, machine) }
    client.outstanding = nil
    note("client \(client.index) is answered \(exchange.ordinal): \(Self.word(answer))")
    hear(response, answer, client, isFalse: isFalse)
    client.isAnswerFalse = isFalse
    if case .changes(let document) = answer, document.more { tally.pages += 1 }
    try tell(event, client)
    if case .damaged = answer { try client.judgeDamaged() }
  }

  /// An answer that comes too late changes nothing.
  private func tellLate(
    _ event: ReplicaMachine.Event, _ client: SimulatedClient, _ before: ReplicaMachine
  ) throws {
    tally.lateCount += 1
    let effects = client.machine?.handle(event) ?? []
    try require(
      effects.isEmpty && client.machine?.state == before.state,
      "an answer that nobody waits for is taken: \(effects)")
  }

  /// Records whether the simulated network falsified the answer.
  private func hear(
    _ response: ReplicaResponse?, _ answer: ReplicaAnswer, _ client: SimulatedClient, isFalse: Bool
  ) {
    if isFalse { (client.falseCount, client.hadFalseAnswer) = (client.falseCount + 1, true) }
    guard let response else { return client.meter.fail(retryAfterSeconds: 0, at: now) }
    client.statuses.insert(response.status)
    let isPage = response.headers["content-type"]?.hasPrefix("text/") ?? false
    guard response.status >= 500 || isPage else { return client.meter.succeed() }
    client.meter.fail(
      retryAfterSeconds: response.headers["retry-after"].flatMap(Double.init) ?? 0, at: now)
  }

  private static func word(_ answer: ReplicaAnswer) -> String {
    switch answer {
    case .changes(let document): "changes \(document.from.cursor!) → \(document.to.cursor!)"
    case .snapshot(let document): "list \(document.to.cursor!), \(document.reason)"
    case .headers, .notModified, .noDelta, .damaged, .unavailable, .refused: "\(answer)"
    }
  }

  func giveUp(_ exchange: Exchange) throws {
    let client = clients[exchange.client]
    guard client.life == exchange.life, client.outstanding == exchange.request.number else {
      return
    }
    try take(nil, exchange, isFalse: false)
  }

  func endWait(_ client: SimulatedClient, _ life: Int, _ number: Int) throws {
    guard client.life == life, let machine = client.machine else { return }
    if case .waiting(let wait) = machine.state, wait.number == number {
      return try tell(.timerFired(number), client)
    }
    try tellLate(.timerFired(number), client, machine)
  }

  func tell(_ event: ReplicaMachine.Event, _ client: SimulatedClient) throws {
    guard client.machine != nil else { return }
    let before = client.failure
    for effect in client.machine?.handle(event) ?? [] { try perform(effect, client) }
    guard let error = client.failure, error != before else { return }
    note("client \(client.index) fails: \(error)")
    tally.add(error)
    try client.judgeFailure(error)
  }

  private func perform(_ effect: ReplicaMachine.Effect, _ client: SimulatedClient) throws {
    switch effect {
    case .send(let request): try send(request, client)
    case .cancel(let number):
      try require(client.outstanding == number, "request \(number) is not there to cancel")
      client.outstanding = nil
    case .setTimer(let number, let seconds):
      queue.add(
        .timer(client: client.index, life: client.life, number: number), at: now + seconds)
    case .cancelTimer: break
    case .save(let number, let step):
      note("client \(client.index) saves \(step.after.cursor), \(step.reason)")
      try client.judge(step, by: server)
      client.pendingSave = (number, step)
      let seconds = Double(number % 7) * 0.04 + 0.001
      queue.add(
        .saveDue(client: client.index, life: client.life, number: number), at: now + seconds)
    case .show(let step):
      try client.show(step)
      client.meter.reach(step.after.cursor, at: now)
      tally.add(step)
    }
  }

  func save(_ client: SimulatedClient, _ life: Int, _ number: Int) async throws {
    guard client.life == life, client.machine != nil, let (pending, step) = client.pendingSave,
      pending == number
    else { return }
    client.pendingSave = nil
    let plan = client.savePlan
    client.savePlan = nil
    switch plan {
    case .crashInSave:
      client.perhapsSaved = step.after
      await client.place.dieSaving(step, at: 1 + number % 17)
      tally.diedSaving += 1
      return die(client)
    case .saveFails:
      client.hadSaveFault = true
      return try tell(.saveFailed(number, .notSaved(reason: "no room")), client)
    default: break
    }
    do {
      try await client.place.save(step)
    } catch {
      return try tell(.saveFailed(number, error), client)
    }
    client.saved = step.after
    if plan == .crashAfterSave { return die(client) }
    try tell(.saved(number), client)
  }

  func act(_ deed: ClientDeed, _ client: SimulatedClient) throws {
    note("client \(client.index): \(deed)")
    switch deed {
    case .pause: try tell(.pause, client)
    case .resume: try resume(client)
    case .stop:
      try tell(.stop, client)
      beginLater(client)
    case .crash: die(client)
    case .crashWithDamage:
      die(client)
      guard case .file = client.place.kind else { return }
      var random = SeededRandom(seed: seed ^ UInt64(client.requestCount))
      try client.place.damage(&random)
      client.isFileDamaged = true
      tally.damagedFiles += 1
    case .crashAfterSave, .crashInSave, .saveFails: client.savePlan = deed
    }
  }

  func resume(_ client: SimulatedClient) throws {
    switch client.machine?.state {
    case .paused, .current, .failed: client.beginAnew(at: now)
    case .waiting: client.meter.begin(at: now)
    case .idle, .asking, .saving, .stopped, nil: break
    }
    try tell(.resume, client)
  }

  /// Ends the process; another starts later.
  private func die(_ client: SimulatedClient) {
    note("client \(client.index) dies")
    tally.crashes += 1
    (client.machine, client.outstanding, client.pendingSave) = (nil, nil, nil)
    client.place.end()
    beginLater(client)
  }

  private func beginLater(_ client: SimulatedClient) {
    queue.add(
      .begin(client: client.index, life: client.life),
      at: now + 0.5 + Double(client.requestCount % 10))
  }
}
