import Foundation
import ListModel
import TestSupport
import Testing

@testable import SyncClient

@Suite(.timeLimit(.minutes(Hang.minutes))) struct ReplicaSessionTests {
  private let transport = FakeTransport(MachineFixture.server)

  @Test func sessionWithoutWatchingSettlesWhenItHasTheListOfTheServer() async throws {
    let session = ReplicaSession.over(transport, watches: false)
    try await session.start()
    try await session.settle()
    #expect(await session.copy == MachineFixture.server.head)
    #expect(await transport.requests.map(\.purpose) == [.catchUp])
  }

  @Test func watchingSessionFollowsEveryCommit() async throws {
    let session = ReplicaSession.over(transport)
    try await session.start()
    for text in ["x", "y", "z"] {
      await transport.change { $0.commit([text]) }
      try await session.reach(await transport.server.head.cursor)
    }
    await session.stop()
    try await session.settle()
    #expect(await session.copy == transport.server.head)
  }

  @Test func restartedSessionContinuesFromTheSavedCopy() async throws {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    func file() -> ReplicaFile {
      ReplicaFile(
        path: folder.appendingPathComponent("copy").path,
        source: ReplicaSource(server: "http://here", list: ModelServer.list))
    }
    let first = ReplicaSession.over(transport, watches: false, storage: file())
    try await first.start()
    try await first.settle()
    await transport.change { $0.commit(["q"]) }
    let second = ReplicaSession.over(transport, watches: false, storage: file())
    try await second.start()
    try await second.settle()
    #expect(await second.copy == transport.server.head)
    let last = await transport.requests.last
    #expect(last?.since == MachineFixture.server.head.cursor)
  }

  @Test func lostConnectionsAreRetriedUntilSuccessOrTheTryLimit() async throws {
    await transport.plan(nil, nil, nil)
    let session = ReplicaSession.over(transport, watches: false)
    try await session.start()
    try await session.settle()
    #expect(await transport.requests.count == 4)
    #expect(await session.copy == MachineFixture.server.head)

    await transport.plan(nil, nil, nil)
    let limited = ReplicaSession.over(transport, watches: false, tryLimit: 3)
    try await limited.start()
    await #expect {
      try await limited.settle()
    } throws: { error in
      guard case ReplicaError.gaveUp(tryCount: 3, .network) = error else { return false }
      return true
    }
    #expect(await limited.copy == .empty)
  }

  @Test func refusalEndsASessionByNameAndTheSessionCanResume() async throws {
    await transport.plan(ReplicaResponse(status: 401))
    let session = ReplicaSession.over(transport)
    try await session.start()
    await #expect(throws: ReplicaError.unauthenticated(detail: nil)) { try await session.settle() }
    await session.resume()
    try await session.reach(MachineFixture.server.head.cursor)
    await session.stop()
  }

  @Test func pauseCancelsTheWaitingRequestAndResumeSendsANewOne() async throws {
    let session = ReplicaSession.over(transport)
    try await session.start()
    try await session.reach(MachineFixture.server.head.cursor)
    while await transport.waitingCount == 0 { await Task.yield() }
    await session.pause()
    while await transport.cancelledCount == 0 { await Task.yield() }
    await transport.change { $0.commit(["x"]) }
    #expect(await session.state == .paused)
    #expect(await session.copy == MachineFixture.server.head)
    await session.resume()
    try await session.reach(await transport.server.head.cursor)
    await session.stop()
  }

  @Test func releasedSessionCancelsItsRequest() async throws {
    do {
      let session = ReplicaSession.over(transport)
      try await session.start()
      try await session.reach(MachineFixture.server.head.cursor)
      while await transport.waitingCount == 0 { await Task.yield() }
    }
    while await transport.cancelledCount == 0 { await Task.yield() }
  }

  /// The task that called `start` first ends, as when a view disappears and appears again.
  @Test func loadingDoesNotEndWithTheTaskThatBeganIt() async throws {
    struct Slow: ReplicaStorage {
      func load() async throws(ReplicaError) -> ListCopy {
        do {
          try await Task.sleep(for: .milliseconds(20))
        } catch {
          throw .cannotOpen(path: "copy", reason: "\(error)")
        }
        return MachineFixture.server.history[1]
      }
      func edits() -> EditQueue { .empty }
      func save(_ step: ReplicaStep?, _ edits: EditQueue?) {}
    }
    let session = ReplicaSession.over(transport, watches: false, storage: Slow())
    let first = Task { try await session.start() }
    first.cancel()
    #expect(try await session.start() != .empty)
    #expect(try await first.value != .empty)
    try await session.settle()
    #expect(await session.copy == MachineFixture.server.head)
  }

  @Test func everyCallerOfStartLearnsThatTheCopyCannotBeLoaded() async throws {
    struct Broken: ReplicaStorage {
      func load() async throws(ReplicaError) -> ListCopy {
        await Task.yield()
        throw .foreignFile(path: "copy")
      }
      func edits() -> EditQueue { .empty }
      func save(_ step: ReplicaStep?, _ edits: EditQueue?) {}
    }
    let session = ReplicaSession.over(transport, storage: Broken())
    let callers = (0..<3).map { _ in Task { try await session.start() } }
    for caller in callers {
      await #expect(throws: ReplicaError.foreignFile(path: "copy")) { try await caller.value }
    }
  }

  @Test func readerOfTheStatesDoesNotHoldTheSession() async throws {
    let reader: Task<Void, Never>
    do {
      let session = ReplicaSession.over(transport)
      let states = session.states
      reader = Task { for await _ in states {} }
      try await session.start()
      try await session.reach(MachineFixture.server.head.cursor)
      while await transport.waitingCount == 0 { await Task.yield() }
    }
    while await transport.cancelledCount == 0 { await Task.yield() }
    await reader.value
  }

  @Test func copyThatCannotBeSavedIsNotShownAndEndsTheSessionByName() async throws {
    struct Full: ReplicaStorage {
      func load() -> ListCopy { .empty }
      func edits() -> EditQueue { .empty }
      func save(_ step: ReplicaStep?, _ edits: EditQueue?) throws(ReplicaError) {
        throw .notSaved(reason: "full")
      }
    }
    let session = ReplicaSession.over(transport, storage: Full())
    try await session.start()
    await #expect(throws: ReplicaError.notSaved(reason: "full")) { try await session.settle() }
    var updates = session.updates().makeAsyncIterator()
    await #expect(throws: ReplicaError.notSaved(reason: "full")) { try await updates.next() }
  }

  @Test func statesArriveAsTheyChangeAndEndWithTheStop() async throws {
    let session = ReplicaSession.over(transport)
    let names = Task {
      var names: [StateName] = []
      for await state in session.states { names.append(StateName(state)) }
      return names
    }
    try await session.start()
    try await session.reach(MachineFixture.server.head.cursor)
    await session.stop()
    let seen = await names.value
    #expect(seen.last == .stopped)
  }

  @Test func cancelledTaskStopsWaitingForASession() async throws {
    let session = ReplicaSession.over(transport)
    let waiting = Task { try await session.settle() }
    let looping = Task { for try await _ in session.updates() {} }
    waiting.cancel()
    looping.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    await #expect(throws: CancellationError.self) { try await looping.value }
  }
}
