import ListModel
import TestSupport

@testable import SyncClient

/// Clients of one server over a random network, with a simulated clock. The same seed and lines
/// give the same run.
final class LossyRun {
  /// The longest silence beyond the wait that the client asks the server for.
  static let idleSeconds = 30.0
  /// After this time without faults, every client that is not refused has the list. It covers the
  /// messages on their way, the longest wait and the pages.
  static let agreementSeconds = 400.0

  enum Event {
    case arrives(Exchange)
    case holdEnds(Int)
    case answered(Exchange, ReplicaResponse?, isFalse: Bool)
    /// The client's side gives up a request.
    case givenUp(Exchange)
    case timer(client: Int, life: Int, number: Int)
    case saveDue(client: Int, life: Int, number: Int)
    case deed(client: Int, ClientDeed)
    case begin(client: Int, life: Int)
  }

  /// One request on its way.
  struct Exchange {
    let client: Int
    let life: Int
    let ordinal: Int
    let request: ReplicaRequest
    let sentAt: Double
    let fault: MessageFault?
  }

  let seed: UInt64
  let server: LiveServer
  let refusals: Refusals
  let clients: [SimulatedClient]
  private(set) var now = 0.0
  var queue = EventQueue<Event>()
  /// Requests that the server holds until it has a newer version.
  var held: [Int: Exchange] = [:]
  var heldCount = 0
  /// The answers to each address, the oldest first, and those to any address.
  var cache: [String: [WireAnswer]] = [:]
  var given: [WireAnswer] = []
  let troubles: [Trouble]
  private let faults: [[Int: MessageFault]]
  /// Whether the faults have stopped.
  var isCalm = false
  var tally = LossyTally()
  /// The events of the run; nil if no caller wants them.
  var trace: [String]?

  init(
    seed: UInt64, _ lines: [ScriptLine], _ server: LiveServer, _ refusals: Refusals,
    traces: Bool = false
  ) throws {
    (self.seed, self.server, self.refusals) = (seed, server, refusals)
    trace = traces ? [] : nil
    clients = try Self.clients(seed)
    troubles = lines.compactMap { if case .trouble(let trouble) = $0 { trouble } else { nil } }
    var faults = clients.map { _ in [Int: MessageFault]() }
    for case .fault(let client, let ordinal, let fault) in lines { faults[client][ordinal] = fault }
    self.faults = faults
    var random = SeededRandom(seed: seed)
    for client in clients {
      queue.add(.begin(client: client.index, life: 0), at: random.seconds(0...20))
    }
    for case .deed(let client, let seconds, let deed) in lines {
      queue.add(.deed(client: client, deed), at: seconds)
    }
    tally.runs = 1
    tally.clients = clients.count
  }

  static func clientCount(_ seed: UInt64) -> Int {
    var random = SeededRandom(seed: ~seed)
    return random.element(of: [1, 1, 1, 2, 2, 3, 4])
  }

  private static func clients(_ seed: UInt64) throws -> [SimulatedClient] {
    var random = SeededRandom(seed: seed &+ 1)
    return try (0..<clientCount(seed)).map { index in
      let retry = RetryRule(
        highestSeconds: random.element(of: [4, 20, 60]),
        tryLimit: random.chance(10) ? random.number(1...6) : nil)
      let options = ReplicaMachine.Options(
        list: random.chance(5) ? LiveServer.lists[1] : LiveServer.lists[0],
        watches: !random.chance(6), waitSeconds: random.element(of: [0, 5, 20, 30]),
        changeLimit: random.chance(3) ? random.number(1...6) : nil, retry: retry)
      let kind: ReplicaPlace.Kind =
        random.chance(Campaign.isLong ? 4 : 8)
        ? .file(random.chance(3) ? .fail : .startOver) : random.chance(4) ? .memory : .lasting
      return try SimulatedClient(index, options.list, options, kind)
    }
  }

  func note(_ text: @autoclosure () -> String) { trace?.append("\(now.tenths) \(text())") }

  /// A generator for one message; other messages do not affect it.
  func random(_ exchange: Exchange, _ part: UInt64) -> SeededRandom {
    var parts = SeededRandom(
      seed: UInt64(exchange.client) << 40 | UInt64(exchange.ordinal) << 8 | part)
    return SeededRandom(seed: seed ^ parts.next())
  }

  func fault(client: Int, ordinal: Int) -> MessageFault? {
    isCalm ? nil : faults[client][ordinal]
  }

  /// Handles all events before a moment.
  func advance(until end: Double, _ isDone: () -> Bool = { false }) async throws {
    while !isDone(), let next = queue.nextSeconds, next < end, let entry = queue.next() {
      now = entry.seconds
      try await happen(entry.event)
    }
    if !isDone() { now = end }
  }

  private func happen(_ event: Event) async throws {
    switch event {
    case .arrives(let exchange): try await arrive(exchange)
    case .holdEnds(let number):
      if let exchange = held.removeValue(forKey: number) { try await respond(to: exchange) }
    case .answered(let exchange, let response, let isFalse):
      try take(response, exchange, isFalse: isFalse)
    case .givenUp(let exchange): try giveUp(exchange)
    case .timer(let index, let life, let number): try endWait(clients[index], life, number)
    case .saveDue(let index, let life, let number):
      try await save(clients[index], life, number)
    case .deed(let index, let deed): try act(deed, clients[index])
    case .begin(let index, let life): try await begin(clients[index], life)
    }
  }
}
