import ListModel
import SyncClient
import TestSupport

/// The path of a request to the server, and of its answer back.
extension LossyRun {
  func send(_ request: ReplicaRequest, _ client: SimulatedClient) throws {
    try require(client.outstanding == nil, "a request is sent while another is waited for")
    client.outstanding = request.number
    client.requestCount += 1
    try client.meter.send(at: now)
    let exchange = Exchange(
      client: client.index, life: client.life, ordinal: client.requestCount, request: request,
      sentAt: now, fault: fault(client: client.index, ordinal: client.requestCount))
    tally.messages += 1
    note("client \(client.index) sends \(exchange.ordinal): \(request.purpose) \(request.since)")
    queue.add(.givenUp(exchange), at: now + Self.idleSeconds + Double(request.waitSeconds))
    var random = random(exchange, 0)
    if exchange.fault == .requestDropped { return count(.requestDropped) }
    queue.add(.arrives(exchange), at: now + random.seconds(0.01...0.2))
    if exchange.fault == .requestRepeated {
      count(.requestRepeated)
      queue.add(.arrives(exchange), at: now + random.seconds(0.01...3))
    }
  }

  func count(_ fault: MessageFault) {
    tally.faults[fault, default: 0] += 1
    note("  \(fault)")
  }

  func arrive(_ exchange: Exchange) async throws {
    if try await isTaken(exchange) { return }
    if exchange.request.waitSeconds > 0,
      server.noticed[exchange.request.list] == exchange.request.since
    {
      heldCount += 1
      held[heldCount] = exchange
      return queue.add(.holdEnds(heldCount), at: now + Double(exchange.request.waitSeconds))
    }
    try await respond(to: exchange)
  }

  /// Whether an intermediary answers for the server, or swallows the request.
  private func isTaken(_ exchange: Exchange) async throws -> Bool {
    guard let trouble else { return false }
    let answer: WireAnswer?
    switch trouble.kind {
    case .silent: return true
    case .cached:
      guard let old = cache[exchange.request.target]?.first else { return false }
      answer = old
    case .down: answer = nil
    case .spoiled: return false
    case .busy: answer = refusals.busy
    case .failing: answer = refusals.failing
    case .guarded: answer = refusals.guarded
    case .missing: answer = refusals.missing
    case .portal: answer = refusals.portal
    }
    tally.troubleAnswers += 1
    note("  \(trouble.kind) answers \(exchange.client)'s \(exchange.ordinal)")
    guard var answer else {
      queue.add(.answered(exchange, nil, isFalse: false), at: now + 0.01)
      return true
    }
    if answer.status >= 500, let seconds = trouble.retryAfterSeconds {
      answer.headers["retry-after"] = String(seconds)
    }
    reply(answer, to: exchange)
    return true
  }

  func respond(to exchange: Exchange) async throws {
    let request = exchange.request
    let asked = request.withoutWait
    let answer = try await server.answer(asked.target, asked.headers)
    reply(answer, to: exchange)
    cache[request.target, default: []].append(answer)
    given.append(answer)
  }

  private func reply(_ answer: WireAnswer, to exchange: Exchange) {
    var random = random(exchange, 1)
    var answer = answer
    var delay = random.seconds(0.01...0.3)
    switch exchange.fault {
    case nil, .requestDropped, .requestRepeated: break
    case .answerDropped: return count(.answerDropped)
    case .answerRepeated:
      count(.answerRepeated)
      deliver(answer, exchange, after: delay + random.seconds(0.01...40))
    case .late:
      count(.late)
      delay += random.seconds(20...70)
    case .cut:
      count(.cut)
      return queue.add(.answered(exchange, nil, isFalse: false), at: now + delay)
    case .shortened, .flipped, .doubled:
      if answer.body.isEmpty { break }
      count(exchange.fault ?? .flipped)
      falsify(&answer, exchange.fault, &random)
    case .stale:
      guard let old = cache[exchange.request.target], !old.isEmpty else { break }
      count(.stale)
      answer = random.element(of: old)
    case .another:
      if given.isEmpty { break }
      count(.another)
      answer = random.element(of: given)
    }
    deliver(answer, exchange, after: delay)
  }

  private func falsify(
    _ answer: inout WireAnswer, _ fault: MessageFault?, _ random: inout SeededRandom
  ) {
    let place = random.number(0...answer.body.count - 1)
    switch fault {
    case .shortened: answer.body.removeSubrange(place...)
    case .doubled: answer.body += answer.body
    default: answer.body[place] ^= UInt8(1 << random.number(0...7))
    }
  }

  private func deliver(_ answer: WireAnswer, _ exchange: Exchange, after delay: Double) {
    var answer = answer
    let isSpoiled = trouble?.kind == .spoiled
    if isSpoiled { answer.body += answer.body }
    queue.add(
      .answered(
        exchange, answer.unpacked, isFalse: isSpoiled || exchange.fault?.falsifies ?? false),
      at: now + delay)
  }

  /// The fault that is active now.
  private var trouble: Trouble? {
    isCalm ? nil : troubles.first { $0.start <= now && now < $0.end }
  }

  /// Handles a server that has noticed a commit, or has restarted.
  func noticeServer(isRestarted: Bool) async throws {
    for (number, exchange) in held.sorted(by: { $0.key < $1.key }) {
      if isRestarted {
        held[number] = nil
        queue.add(.answered(exchange, nil, isFalse: false), at: now + 0.01)
      } else if server.noticed[exchange.request.list] != exchange.request.since {
        held[number] = nil
        try await respond(to: exchange)
      }
    }
  }
}
