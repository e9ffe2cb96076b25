import ListModel
import TestSupport

@testable import SyncClient

/// A server in this process. It holds a request with a wait until it has a newer version.
actor FakeTransport: ReplicaTransport, FileTransport {
  struct Lost: Error {}

  private(set) var server: ModelServer
  private(set) var requests: [ReplicaRequest] = []
  private(set) var cancelledCount = 0
  /// Answers used instead of the server's, in order.
  private var planned: [ReplicaResponse?] = []
  private var plannedForEdits: [ReplicaResponse] = []
  private var losesAnswersToEdits = false
  /// One request in this many is lost, or damaged; nil for never.
  private var faults: (oneIn: Int, random: SeededRandom)?
  /// By their order; the numbers of requests are those of one session, and sessions may share it.
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  private var lastWaiting = 0

  init(_ server: ModelServer) { self.server = server }

  /// Changes the server, and wakes the waiting requests.
  func change(_ body: @Sendable (inout ModelServer) -> Void) {
    body(&server)
    for continuation in waiting.values { continuation.resume() }
    waiting = [:]
  }

  /// - Parameter responses: nil means a lost connection.
  func plan(_ responses: ReplicaResponse?...) { planned += responses }

  func planForEdits(_ responses: ReplicaResponse...) { plannedForEdits += responses }

  func loseAnswersToEdits(_ loses: Bool) { losesAnswersToEdits = loses }

  func failByChance(oneIn count: Int, _ random: SeededRandom) { faults = (count, random) }

  func failNoMore() { faults = nil }

  var waitingCount: Int { waiting.count }

  func send(_ request: ReplicaRequest) async throws -> ReplicaResponse {
    requests.append(request)
    if !planned.isEmpty {
      guard let response = planned.removeFirst() else { throw Lost() }
      return response
    }
    if fails() { throw Lost() }
    if request.body != nil {
      if !plannedForEdits.isEmpty { return plannedForEdits.removeFirst() }
      let response = try server.commit(request)
      change { _ in }
      if losesAnswersToEdits || fails() { throw Lost() }
      return response
    }
    while request.waitSeconds > 0, server.response(to: request).status == 304 {
      await waitForChange()
      if Task.isCancelled {
        cancelledCount += 1
        throw CancellationError()
      }
    }
    let response = server.response(to: request)
    guard fails(), response.body.count > 1 else {
      return response
    }
    return ReplicaResponse(
      status: 200, body: Array(response.body.dropLast(response.body.count / 2)))
  }

  /// It has no publication.
  func get(
    _ path: String, headers: [(name: String, value: String)], waitSeconds: Int
  ) async throws -> ReplicaResponse {
    ReplicaResponse(status: 404)
  }

  private func fails() -> Bool {
    guard case (let count, var random)? = faults else { return false }
    defer { faults = (count, random) }
    return random.chance(count)
  }

  private func waitForChange() async {
    lastWaiting += 1
    let number = lastWaiting
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled {
          continuation.resume()
        } else {
          waiting[number] = continuation
        }
      }
    } onCancel: {
      Task { await self.wake(number) }
    }
  }

  private func wake(_ number: Int) { waiting.removeValue(forKey: number)?.resume() }
}

extension ReplicaClock {
  /// Waits take no time.
  static let immediate = ReplicaClock {
    0
  } sleep: { _ in
    await Task.yield()
  } random: {
    0.5
  }
}

extension ReplicaSession {
  static func over(
    _ transport: FakeTransport, watches: Bool = true, storage: any ReplicaStorage = ReplicaMemory(),
    tryLimit: Int? = nil
  ) -> ReplicaSession {
    ReplicaSession(
      ReplicaMachine.Options(
        list: ModelServer.list, watches: watches, retry: RetryRule(tryLimit: tryLimit)),
      transport: transport, storage: storage, clock: .immediate)
  }

  /// Waits until the copy is at a cursor.
  func reach(_ cursor: Cursor) async throws {
    while copy.cursor != cursor { try await Task.sleep(for: .milliseconds(1)) }
  }
}
