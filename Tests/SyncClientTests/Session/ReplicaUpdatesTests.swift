import ListChanges
import ListChangesTesting
import ListModel
import TestSupport
import Testing

@testable import SyncClient

@Suite(.timeLimit(.minutes(1))) struct ReplicaUpdatesTests {
  @Test("a view that performs each update's batch shows the list, whatever happens meanwhile")
  func drivesAView() async throws {
    var seeds = SeededRandom.forThisRun()
    for _ in 0..<12 {
      var random = SeededRandom(seed: seeds.next())
      let seed = random.seed
      let transport = FakeTransport(ModelServer.random(versionCount: 3, using: &random))
      await transport.failByChance(oneIn: 9, SeededRandom(seed: random.next()))
      let session = ReplicaSession.over(transport)
      try await session.start()
      var updates = session.updates().makeAsyncIterator()
      var view = CollectionViewSimulator<Item>(showing: [[]])
      var cursor = Cursor.zero
      for _ in 0..<25 {
        await change(transport, using: &random)
        if random.chance(2) { continue }
        do {
          let state = await session.copy.state
          if state.cursor == cursor { continue }
          guard let update = try await updates.next() else { break }
          #expect(update.before == view.displayed[0], "seed \(seed)")
          try view.performBatchUpdates(update.batchUpdates, showing: update.after)
          #expect(view.displayed[0] == update.after, "seed \(seed)")
          #expect(update.from.cursor == cursor, "seed \(seed)")
          cursor = try #require(update.to.cursor)
        } catch is ReplicaError {
          // The second damaged answer in a row.
          await session.resume()
        }
      }
      await transport.failNoMore()
      await session.resume()
      // A request that the server holds is one from its head, with nothing else under way: the copy
      // alone could be at the head while an older answer is saved.
      while await transport.waitingCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
      await session.stop()
      // What was not asked for yet is given before the end.
      while let update = try await updates.next() {
        try view.performBatchUpdates(update.batchUpdates, showing: update.after)
      }
      #expect(view.displayed == [await transport.server.head.snapshot.items], "seed \(seed)")
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

  @Test("a view that begins with nothing gets the whole list, however far the replica is")
  func beginsWithNothingLate() async throws {
    let server = MachineFixture.server
    let session = ReplicaSession.over(
      FakeTransport(server), storage: ReplicaMemory(server.history[1]))
    try await session.start()
    try await session.reach(server.head.cursor)
    // Found by LossySessionCampaign: the steps since the start were taken for all.
    var updates = session.updates().makeAsyncIterator()
    let first = try #require(try await updates.next())
    #expect(first.before.isEmpty)
    #expect(first.after == server.head.snapshot.items)
    #expect(first.reason == .first)
    var sinceStart = session.updates(after: server.history[1]).makeAsyncIterator()
    let step = try #require(try await sinceStart.next())
    #expect(step.before == server.history[1].snapshot.items)
    #expect(step.after == server.head.snapshot.items)
  }

  @Test("whoever is slow gets all that happened as one update, canonical as a comparison")
  func slowViewsSkip() async throws {
    let transport = FakeTransport(MachineFixture.server)
    let session = ReplicaSession.over(transport)
    try await session.start()
    var updates = session.updates().makeAsyncIterator()
    let first = try #require(try await updates.next())
    #expect(first.reason == .first)
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

  @Test("a restored backup is shown as changes, and said by name")
  func restoredBackup() async throws {
    let transport = FakeTransport(MachineFixture.server)
    let session = ReplicaSession.over(transport)
    try await session.start()
    var updates = session.updates().makeAsyncIterator()
    _ = try await updates.next()
    await transport.change { $0 = $0.restored(to: 1) }
    let update = try #require(try await updates.next())
    #expect(update.reason == .diverged)
    #expect(update.after == MachineFixture.server.history[1].snapshot.items)
    #expect(update.to.cursor?.version == Version(1))
    await session.stop()
  }

  @Test("the first update of a restarted replica is what was saved, without the server")
  func savedFirst() async throws {
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

@Suite struct StepLogTests {
  @Test("however many steps there were, as many changes are kept as the list has items, or a few")
  func bounded() {
    var random = SeededRandom.forThisRun()
    var server = ModelServer()
    var log = StepLog(.empty)
    var shown = [(copy: ListCopy.empty, count: 0)]
    for version in 1...700 {
      server.commitByChance(using: &random)
      log.append(ReplicaStep(from: server.history[version - 1], to: server.history[version]))
      if random.chance(20) { shown.append((log.copy, log.stepCount)) }
      #expect(log.keptChangeCount <= 256 + 8)
    }
    for (copy, count) in shown {
      let step = log.step(from: copy, after: count)
      #expect(step.after == server.head)
      #expect(step.changes == copy.snapshot.changes(to: server.head.snapshot))
      #expect(step.changes.moved.allSatisfy { $0.id != nil })
    }
  }

  @Test("every move of a composed update has its id, also one that no step named")
  func composedMovesAreNamed() {
    var random = SeededRandom.forThisRun()
    var unnamedCount = 0
    for _ in 0..<200 {
      var server = ModelServer()
      let ids = ["a", "b", "c", "d", "e"]
      for _ in 0..<3 { server.commit(ids.shuffled(using: &random)) }
      let history = server.history
      let steps = [(1, 2), (2, 3)].map { ReplicaStep(from: history[$0], to: history[$1]) }
      var log = StepLog(history[1])
      for step in steps { log.append(step) }
      let moved = log.step(from: history[1], after: 0).changes.moved
      #expect(moved.map(\.id) == moved.map { history[1].snapshot.items[$0.from].id })
      unnamedCount +=
        steps[0].changes.composed(with: steps[1].changes).moved.filter { $0.id == nil }.count
    }
    #expect(unnamedCount > 0, "composition alone leaves some without")
  }

  @Test("of several steps the last reason to start over is told")
  func reasons() {
    let history = MachineFixture.server.history
    var log = StepLog(history[1])
    log.append(ReplicaStep(from: history[1], to: history[2], .tooOld))
    log.append(ReplicaStep(from: history[2], to: history[3]))
    #expect(log.step(from: history[1], after: 0).reason == .tooOld)
    #expect(log.step(from: history[2], after: 1).reason == .changes)
    #expect(log.step(from: .empty, after: 0).reason == .first)
  }
}
