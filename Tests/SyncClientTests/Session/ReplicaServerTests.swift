import ListModel
import Synchronization
import TestSupport
import Testing

@testable import SyncClient

/// Replicas of one server that share a waiting request.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct ReplicaServerTests {
  private static let names = (0..<20).map { ListName("list\($0)")! }

  private func replicas(
    _ transport: ManyLists, _ names: [ListName] = names, clock: ReplicaClock = .immediate
  ) async throws -> ([ReplicaSession], ReplicaServer) {
    let server = ReplicaServer(
      at: try ServerAddress("http://localhost"), over: transport, clock: clock)
    var sessions: [ReplicaSession] = []
    for name in names {
      await transport.commit(name, "a")
      let session = ReplicaSession(
        ReplicaMachine.Options(list: name), origin: server.origin(), storage: ReplicaMemory(),
        clock: .immediate)
      try await session.start()
      sessions.append(session)
    }
    return (sessions, server)
  }

  private func reach(_ sessions: [ReplicaSession], _ transport: ManyLists) async throws {
    for (session, name) in zip(sessions, Self.names) {
      try await session.reach(try #require(await transport.head(of: name)?.cursor))
    }
  }

  /// Waits until every replica waits for news, all by one request. That request begins after all
  /// replicas with news have ended their waits, so it is looked at first.
  private func settle(
    _ sessions: [ReplicaSession], _ server: ReplicaServer, _ transport: ManyLists
  ) async throws {
    try await eventually("all wait by one request") {
      guard await transport.waitingCount == 1 else { return false }
      return await server.waitingCount == sessions.count
    }
  }

  @Test func oneRequestWaitsForAllLists() async throws {
    let transport = ManyLists()
    let (sessions, server) = try await replicas(transport)
    try await reach(sessions, transport)
    try await settle(sessions, server, transport)
    let before = await transport.deltaCounts
    await transport.commit(Self.names[3], "a", "b")
    try await reach(sessions, transport)
    try await settle(sessions, server, transport)
    let after = await transport.deltaCounts
    for name in Self.names {
      #expect(after[name]! - before[name]! == (name == Self.names[3] ? 1 : 0), "\(name)")
    }
    for session in sessions { await session.stop() }
  }

  @Test func listsThatNobodyFollowsTakeNoMemory() async throws {
    let transport = ManyLists()
    let (sessions, server) = try await replicas(transport, [Self.names[0]])
    try await settle(sessions, server, transport)
    for name in Self.names { await transport.commit(name, "b") }
    try await reach(sessions, transport)
    try await settle(sessions, server, transport)
    #expect(await server.headCount == 1)
    for session in sessions { await session.stop() }
  }

  @Test func noCommitIsMissedWhenever() async throws {
    let transport = ManyLists()
    let (sessions, _) = try await replicas(transport)
    var random = SeededRandom.forThisRun()
    for number in 0..<300 {
      let index = random.number(0...Self.names.count - 1)
      await transport.commit(Self.names[index], "a", "b=\(number)")
      if random.chance(20) { await transport.restart() }
      for _ in 0..<random.number(0...40) { await Task.yield() }
    }
    try await reach(sessions, transport)
    for session in sessions { await session.stop() }
  }

  @Test func restartedServerIsAskedOnceForEachList() async throws {
    let transport = ManyLists()
    let (sessions, server) = try await replicas(transport)
    try await reach(sessions, transport)
    try await settle(sessions, server, transport)
    let before = await transport.deltaCounts
    await transport.restart()
    try await settle(sessions, server, transport)
    let after = await transport.deltaCounts
    #expect(Self.names.allSatisfy { after[$0]! - before[$0]! == 1 })
    await transport.commit(Self.names[7], "a", "b")
    try await reach(sessions, transport)
    for session in sessions { await session.stop() }
  }

  @Test(arguments: [404, 405, 501])
  func serverWithoutTheResourceHoldsARequestForEachList(status: Int) async throws {
    let transport = ManyLists()
    await transport.answer(with: status)
    let (sessions, _) = try await replicas(transport)
    try await reach(sessions, transport)
    try await eventually("each waits") { await transport.waitingCount == Self.names.count }
    #expect(await transport.changeRequests.count == 1)
    await transport.commit(Self.names[2], "a", "b")
    try await reach(sessions, transport)
    for session in sessions { await session.stop() }
    await transport.answer(with: status)
  }

  @Test func failureIsTriedAgainAndARefusalEnds() async throws {
    let transport = ManyLists()
    let (sessions, server) = try await replicas(transport)
    try await reach(sessions, transport)
    try await settle(sessions, server, transport)
    await transport.answer(with: 503)
    try await eventually("it is tried again") {
      await transport.changeRequests.count > 30
    }
    await transport.answer(with: nil)
    await transport.commit(Self.names[5], "a", "b")
    try await reach(sessions, transport)
    try await settle(sessions, server, transport)
    await transport.answer(with: 401)
    for session in sessions {
      await #expect(throws: ReplicaError.unauthenticated(detail: nil)) {
        try await session.settle()
      }
    }
  }

  @Test func whenTheLastReplicaStopsNothingIsAskedAnyMore() async throws {
    let transport = ManyLists()
    let (sessions, server) = try await replicas(transport, Array(Self.names.prefix(3)))
    for (session, name) in zip(sessions, Self.names) {
      try await session.reach(try #require(await transport.head(of: name)?.cursor))
    }
    try await settle(sessions, server, transport)
    for session in sessions { await session.stop() }
    for session in sessions { try await session.settle() }
    let count = await transport.changeRequests.count
    await transport.commit(Self.names[0], "a", "b")
    for _ in 0..<1000 { await Task.yield() }
    #expect(await transport.changeRequests.count == count)
  }

  @Test func serverThatHoldsNothingIsAskedWithPauses() async throws {
    let pauses = Mutex<[Double]>([])
    let clock = ReplicaClock {
      0
    } sleep: { seconds in
      pauses.withLock { $0.append(seconds) }
      await Task.yield()
    } random: {
      0.5
    }
    let transport = ManyLists()
    let (sessions, server) = try await replicas(transport, clock: clock)
    try await reach(sessions, transport)
    try await settle(sessions, server, transport)
    let before = await transport.changeRequests.count
    let pauseCount = pauses.withLock { $0.count }
    await transport.holdNothing()
    try await eventually("it is asked often") {
      await transport.changeRequests.count > before + 50
    }
    for session in sessions { await session.stop() }
    #expect(pauses.withLock { $0.dropFirst(pauseCount).allSatisfy { $0 == 1.5 } })
    #expect(pauses.withLock { $0.count } >= pauseCount + 49)
  }

  @Test func serverThatAlwaysBeginsWithAllListsIsAskedWithPauses() async throws {
    let pauseCount = Mutex(0)
    let clock = ReplicaClock {
      0
    } sleep: { _ in
      pauseCount.withLock { $0 += 1 }
      await Task.yield()
    } random: {
      0.5
    }
    let transport = ManyLists()
    await transport.forgetMarks()
    let (sessions, _) = try await replicas(transport, [Self.names[0]], clock: clock)
    try await eventually("it is asked often") { await transport.changeRequests.count > 50 }
    for session in sessions { await session.stop() }
    #expect(pauseCount.withLock { $0 } >= 49)
  }

  /// A wait for news of a list, as soon as a request of the server is held.
  private func held(
    _ server: ReplicaServer, _ transport: ManyLists, _ since: Cursor, _ asked: ReplicaServer.Asked
  ) async throws -> Task<ReplicaServer.Asked?, Never> {
    let wait = Task { () -> ReplicaServer.Asked? in
      let news = await server.news(of: Self.names[0], otherThan: since, asked: asked)
      if case .ask(let asked) = news { return asked }
      return nil
    }
    try await eventually("it waits") {
      guard await transport.waitingCount == 1 else { return false }
      return await server.waitingCount == 1
    }
    return wait
  }

  @Test func newsOfAVersionBeforeTheCopyIsOld() async throws {
    // A former fault: such a replica asked for the list every second, and no request waited.
    let (transport, name) = (ManyLists(), Self.names[0])
    func commit(_ text: String) async -> Cursor {
      await transport.commit(name, text)
      return await transport.head(of: name)!.cursor
    }
    let server = ReplicaServer(
      at: try ServerAddress("http://localhost"), over: transport, clock: .immediate)
    let first = await commit("a")
    guard case .ask(let start) = await server.news(of: name, otherThan: .zero, asked: nil) else {
      Issue.record("there is no mark")
      return
    }
    let wait = try await held(server, transport, first, start)
    let second = await commit("b")
    let asked = try #require(await wait.value)
    #expect(asked.head == second)
    // The next version came before the replica asked.
    let third = await commit("c")
    let later = try await held(server, transport, third, asked)
    let fourth = await commit("d")
    let askedLater = try #require(await later.value)
    #expect(askedLater.head == fourth)
    // A server that is behind has not sent it yet, so the replica asks again.
    guard case .ask = await server.news(of: name, otherThan: third, asked: askedLater) else {
      Issue.record("news is lost")
      return
    }
  }
}
