import Foundation
import ListModel
import SyncClientHTTP
import TestSupport

@testable import SyncClient

/// One server for all trials; each trial has its own address.
///
/// Unchecked because the table is used only under the lock.
final class LyingServer: @unchecked Sendable {
  let answers: HonestAnswers
  private let lock = NSLock()
  private var trials: [Int: LyingRun] = [:]
  private var lastNumber = 0
  private var server: LoopbackServer?

  init(_ answers: HonestAnswers) throws {
    self.answers = answers
    server = try LoopbackServer { [weak self] head in self?.reply(to: head) ?? [] }
  }

  func begin(seed: UInt64) -> LyingRun {
    lock.withLock {
      lastNumber += 1
      let address = "\(server?.text ?? "")/\(lastNumber)"
      let trial = LyingRun(answers, number: lastNumber, address: address, seed: seed)
      trials[lastNumber] = trial
      return trial
    }
  }

  func end(_ trial: LyingRun) { lock.withLock { trials[trial.number] = nil } }

  private func reply(to head: String) -> [LoopbackServer.Step] {
    let number = head.split(separator: "/", maxSplits: 2).dropFirst().first.flatMap { Int($0) }
    let trial = number.flatMap { number in lock.withLock { trials[number] } }
    return trial?.reply(to: head) ?? .response("404 Not Found")
  }
}

/// A replica that gets false answers for a while, and then right ones.
///
/// Unchecked because mutable state is used only under the lock.
final class LyingRun: @unchecked Sendable {
  /// More requests than this for one query are a storm. The bound allows two rounds of four
  /// tries, and requests for falsely promised pages.
  private static let highestRequestCount = 24
  private static let byteLimit = 1 << 20

  let number: Int
  private let answers: HonestAnswers
  private let lying: HTTPTransport
  private let honest: HTTPTransport
  private let start: ListCopy
  private let lock = NSLock()
  private var random: SeededRandom
  /// The number of false answers still to come.
  private var liesLeft: Int
  private var lies: [Lie] = []
  private var requestCount = 0

  init(_ answers: HonestAnswers, number: Int, address: String, seed: UInt64) {
    self.answers = answers
    self.number = number
    random = SeededRandom(seed: seed)
    start = random.element(of: answers.copies)
    liesLeft = random.element(of: [1, 1, 1, 2, 3, 1000])
    guard let address = try? ServerAddress(address) else { preconditionFailure(address) }
    lying = HTTPTransport(
      address,
      options: TransportOptions(idleSeconds: 0.4, totalSeconds: 0.8, byteLimit: Self.byteLimit))
    honest = HTTPTransport(address)
  }

  var told: String { lock.withLock { lies.map(\.description).joined(separator: "; ") } }

  func reply(to head: String) -> [LoopbackServer.Step] {
    lock.withLock {
      requestCount += 1
      let answer = answers.answer(to: head)
      guard liesLeft > 0 else { return WireFrame(answer).steps }
      liesLeft -= 1
      let lie = Lie(about: answer, among: answers.all, &random)
      lies.append(lie)
      return lie.steps
    }
  }

  /// - Throws: `Violation`, or an error without a name.
  func run() async throws -> LyingTally {
    let session = ReplicaSession(
      ReplicaMachine.Options(
        list: answers.list, watches: false, retry: RetryRule(tryLimit: 4)),
      transport: self, storage: ReplicaMemory(start), clock: .withoutWaiting)
    try await session.start()
    let outcome = try await end(of: session)
    let (kinds, count) = lock.withLock { (lies.map(\.kind), requestCount) }
    try require(count <= Self.highestRequestCount, "\(count) requests")
    try require(
      answers.has(await session.copy.snapshot), "the replica has a list that there never was")

    lock.withLock { liesLeft = 0 }
    await session.resume()
    try await session.settle()
    try require(await session.copy == answers.head, "told the truth, it has another list")
    return LyingTally(lies: kinds, requestCount: count, outcome: outcome)
  }

  private func end(of session: ReplicaSession) async throws -> String {
    do {
      try await session.settle()
    } catch let error as ReplicaError {
      // The name of the case without its payload.
      return String("\(Mirror(reflecting: error).children.first?.label ?? "\(error)")")
    }
    return await session.copy == answers.head ? "the right list" : "an older list"
  }
}

extension LyingRun: ReplicaTransport {
  func send(_ request: ReplicaRequest) async throws -> ReplicaResponse {
    let isLying = lock.withLock { liesLeft > 0 }
    return try await (isLying ? lying : honest).send(request)
  }
}

extension ReplicaClock {
  /// Waits take no time here.
  fileprivate static let withoutWaiting = ReplicaClock {
    0
  } sleep: { _ in
    await Task.yield()
  } random: {
    0.5
  }
}
