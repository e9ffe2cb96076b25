import ListChanges
import ListChangesTesting
import ListModel
import TestSupport
import Testing

@testable import SyncClient

@Suite(.timeLimit(.minutes(Hang.minutes))) struct ReplicaUpdatesTests {
  @MainActor @Test func viewThatPerformsEveryBatchShowsTheListDespiteFaults() async throws {
    var seeds = SeededRandom.forThisRun()
    for _ in 0..<12 {
      var random = SeededRandom(seed: seeds.next())
      let seed = random.seed
      let transport = FakeTransport(ModelServer.random(versionCount: 3, using: &random))
      await transport.failByChance(oneIn: 9, SeededRandom(seed: random.next()))
      let session = ReplicaSession.over(transport)
      try await session.start()
      var updates = session.updates().makeAsyncIterator()
      let view = SimulatedView(showing: [Item]())
      func show(_ update: ReplicaUpdate<Item>) {
        view.update(by: update.batchUpdates, inSection: 0) { view.data[0].items = update.after }
      }
      var cursor = Cursor.zero
      for _ in 0..<25 {
        await change(transport, using: &random)
        if random.chance(2) { continue }
        do {
          let state = await session.copy.state
          if state.cursor == cursor { continue }
          guard let update = try await updates.next() else { break }
          #expect(try update.before == view.displayed[0].items, "seed \(seed)")
          show(update)
          #expect(try view.displayed[0].items == update.after, "seed \(seed)")
          #expect(update.from.cursor == cursor, "seed \(seed)")
          cursor = try #require(update.to.cursor)
        } catch is ReplicaError {
          // The second damaged answer in a row.
          await session.resume()
        }
      }
      await transport.failNoMore()
      await session.resume()
      // The request that the server holds must start from its head, and be the only one: the copy
      // alone could be at the head while an older answer is saved.
      while await transport.waitingCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
      await session.stop()
      // Pending updates are given before the end.
      while let update = try await updates.next() { show(update) }
      let head = await transport.server.head.snapshot.items
      #expect(try view.displayed[0].items == head, "seed \(seed)")
    }
  }

  private func change(_ transport: FakeTransport, using random: inout SeededRandom) async {
    let next = SeededRandom(seed: random.next())
    let kind = random.number(1...12)
    await transport.change { server in
      var random = next
      switch kind {
      case 1: server = server.restored(to: random.number(0...server.history.count - 1))
      case 2 where server.history.count > 2: server.oldest = server.history.count - 1
      default: server.commitByChance(using: &random)
      }
    }
  }

  @Test func emptyViewGetsTheWholeListHoweverFarTheReplicaIs() async throws {
    let server = MachineFixture.server
    let session = ReplicaSession.over(
      FakeTransport(server), storage: ReplicaMemory(server.history[1]))
    try await session.start()
    try await session.reach(server.head.cursor)
    // A former fault, found by LossySessionCampaign: the steps since the start counted as all.
    var updates = session.updates().makeAsyncIterator()
    let first = try #require(try await updates.next())
    #expect(first.before.isEmpty)
    #expect(first.after == server.head.snapshot.items)
    #expect(first.reason == .wholeList(.first))
    var sinceStart = session.updates(after: server.history[1]).makeAsyncIterator()
    let step = try #require(try await sinceStart.next())
    #expect(step.before == server.history[1].snapshot.items)
    #expect(step.after == server.head.snapshot.items)
  }

  /// The update equals a direct comparison of both lists.
  @Test func slowViewGetsAllStepsAsOneCanonicalUpdate() async throws {
    let transport = FakeTransport(MachineFixture.server)
    let session = ReplicaSession.over(transport)
    try await session.start()
    var updates = session.updates().makeAsyncIterator()
    let first = try #require(try await updates.next())
    #expect(first.reason == .wholeList(.first))
    #expect(first.before.isEmpty)
    for number in 0..<30 {
      await transport.change { $0.commit(["a", "b=\(number)", "c", "n\(number)"]) }
      try await session.reach(await transport.server.head.cursor)
    }
    let second = try #require(try await updates.next())
    #expect(second.before == first.after)
    #expect(second.after == (await transport.server.head.snapshot.items))
    #expect(second.reason == .changes)
    #expect(
      second.changes
        == Snapshot(uniqueItems: second.before).changes(to: Snapshot(uniqueItems: second.after)))
    await session.stop()
    #expect(try await updates.next() == nil)
  }

  @Test func restoredBackupArrivesAsChangesWithTheReasonDiverged() async throws {
    let transport = FakeTransport(MachineFixture.server)
    let session = ReplicaSession.over(transport)
    try await session.start()
    var updates = session.updates().makeAsyncIterator()
    _ = try await updates.next()
    await transport.change { $0 = $0.restored(to: 1) }
    let update = try #require(try await updates.next())
    #expect(update.reason == .wholeList(.diverged))
    #expect(update.after == MachineFixture.server.history[1].snapshot.items)
    #expect(update.to.cursor?.version == Version(1))
    await session.stop()
  }

  @Test func firstUpdateAfterARestartIsTheSavedCopyWithoutTheServer() async throws {
    let transport = FakeTransport(MachineFixture.server)
    await transport.plan(nil)
    let saved = ReplicaMemory(MachineFixture.server.history[2])
    let session = ReplicaSession(
      ReplicaMachine.Options(list: ModelServer.list), transport: transport, storage: saved,
      clock: ReplicaClock {
        0
      } sleep: { _ in
        try await Task.sleep(for: .seconds(60))
      } random: {
        0
      })
    try await session.start()
    var updates = session.updates().makeAsyncIterator()
    let update = try #require(try await updates.next())
    #expect(update.after == MachineFixture.server.history[2].snapshot.items)
    await session.stop()
  }
}

@Suite struct RecentStepsTests {
  /// At most as many as the list has items, or 256 if that is more.
  @Test func keptChangesStayBoundedByTheLengthOfTheList() throws {
    var random = SeededRandom.forThisRun()
    var server = ModelServer()
    var recent = RecentSteps(.empty)
    var shown = [(copy: ListCopy.empty, count: 0)]
    for version in 1...700 {
      server.commitByChance(using: &random)
      recent.append(ReplicaStep(from: server.history[version - 1], to: server.history[version]))
      if random.chance(20) { shown.append((recent.copy, recent.stepCount)) }
      #expect(recent.keptChangeCount <= 256 + 8)
    }
    for (copy, count) in shown {
      let step = try recent.step(from: copy, after: count)
      #expect(step.after == server.head)
      #expect(step.changes == copy.snapshot.changes(to: server.head.snapshot))
      #expect(step.changes.moved.allSatisfy { $0.id != nil })
    }
  }

  /// This includes moves that no single step named.
  @Test func everyMoveOfAComposedUpdateHasItsID() throws {
    var random = SeededRandom.forThisRun()
    var unnamedCount = 0
    for _ in 0..<200 {
      var server = ModelServer()
      let ids = ["a", "b", "c", "d", "e"]
      for _ in 0..<3 { server.commit(ids.shuffled(using: &random)) }
      let history = server.history
      let steps = [(1, 2), (2, 3)].map { ReplicaStep(from: history[$0], to: history[$1]) }
      var recent = RecentSteps(history[1])
      for step in steps { recent.append(step) }
      let moved = try recent.step(from: history[1], after: 0).changes.moved
      #expect(moved.map(\.id) == moved.map { history[1].snapshot.items[$0.from].id })
      unnamedCount +=
        steps[0].changes.composed(with: steps[1].changes).moved.filter { $0.id == nil }.count
    }
    #expect(unnamedCount > 0, "composition alone leaves some without")
  }

  @Test func composedUpdateHasTheLastReasonToStartOver() throws {
    let history = MachineFixture.server.history
    var recent = RecentSteps(history[1])
    recent.append(ReplicaStep(from: history[1], to: history[2], .wholeList(.tooOld)))
    recent.append(ReplicaStep(from: history[2], to: history[3]))
    #expect(try recent.step(from: history[1], after: 0).reason == .wholeList(.tooOld))
    #expect(try recent.step(from: history[2], after: 1).reason == .changes)
    #expect(try recent.step(from: .empty, after: 0).reason == .wholeList(.first))
  }
}
