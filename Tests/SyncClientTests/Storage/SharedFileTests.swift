import Foundation
import GRDB
import ListChanges
import ListDocuments
import ListModel
import TestSupport
import Testing

@testable import SyncClient

/// Replicas that share a file, as those of an app and its extension.
@Suite(.timeLimit(.minutes(Hang.minutes))) final class SharedFileTests: Sendable {
  private static let source = ReplicaSource(server: "https://lists.example", list: ModelServer.list)
  private let folder: URL
  private var path: String { folder.appendingPathComponent("parks.replica").path }

  init() throws { folder = try TemporaryFolder.make() }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func file() -> ReplicaFile { ReplicaFile(path: path, source: Self.source) }

  @Test func slowReaderFollowsWhatAnotherSessionSaves() async throws {
    var server = ModelServer()
    server.commit(["a", "b", "c"])
    let transport = FakeTransport(server)
    let sessions = (0..<2).map { _ in
      ReplicaSession.over(transport, watches: false, storage: file())
    }
    for session in sessions {
      try await session.start()
      try await session.settle()
    }
    var updates = sessions[0].updates().makeAsyncIterator()
    _ = try await updates.next()
    // The first session takes one step, the second one takes three.
    for (number, ids) in [["b", "a", "c"], ["x", "b", "c"], ["x", "y", "c", "b"]].enumerated() {
      await transport.change { $0.commit(ids) }
      let session = sessions[min(number, 1)]
      await session.resume()
      try await session.settle()
    }
    try await sessions[0].edit { $0.append(ModelServer.item("mine")) }
    let update = try #require(try await updates.next())
    #expect(update.after.map(\.id.text) == ["x", "y", "c", "b", "mine"])
    for session in sessions { await session.stop() }
  }

  @Test func reloadThatFailsCanBeRepeated() async throws {
    var server = ModelServer()
    server.commit(["a", "b", "c"])
    server.commit(["a", "b", "c", "d"])
    let (file, other) = (file(), file())
    _ = try await file.load()
    try await file.save(ReplicaStep(from: .empty, to: server.history[1]))
    _ = try await other.load()
    try await other.save(ReplicaStep(from: server.history[1], to: server.head))
    let path = path
    let (locked, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      try? DatabaseQueue(path: path).writeWithoutTransaction { db in
        try db.execute(sql: "BEGIN EXCLUSIVE")
        locked.signal()
        ended.wait()
        try db.execute(sql: "COMMIT")
      }
      locked.signal()
    }
    func wait() async {
      await withCheckedContinuation { caller in
        Thread.detachNewThread {
          locked.wait()
          caller.resume()
        }
      }
    }
    await wait()
    await #expect(throws: ReplicaError.self) { try await file.reload() }
    ended.signal()
    await wait()
    await #expect(throws: StaleRows.self) { try await file.saveRows(nil, .empty) }
    #expect(try await file.reload().0 == server.head)
  }

  @Test func copyThatAnotherSavesWithoutTheKeyIsNotGiven() async throws {
    var server = ModelServer()
    server.commit(["a"])
    var options = ReplicaMachine.Options(list: ModelServer.list)
    options.key = try #require(SigningKey(name: "lists.example")).verifier
    let session = ReplicaSession(
      options, transport: FakeTransport(server), storage: file(), clock: .immediate)
    await session.pause()
    try await session.start()
    let other = file()
    _ = try await other.load()
    try await other.save(ReplicaStep(from: .empty, to: server.head))
    await session.rowsAreEdited()
    // It is made after the reload.
    await #expect(throws: SyncClient.EditError.notEditable) { try await session.edit { $0 = [] } }
    #expect(await session.copy == .empty)
    await session.stop()
  }

  /// With random news, edits, pauses and ends of sessions.
  @Test func sessionsWithSlowReadersShareAFile() async throws {
    var seeds = SeededRandom.forThisRun()
    for round in 0..<4 {
      var random = SeededRandom(seed: seeds.next())
      let seed = random.seed
      let path = folder.appendingPathComponent("\(round)").path
      var server = ModelServer()
      server.commit(.numbered([0, 3, 40, 1100][round % 4]))
      let transport = FakeTransport(server)
      func begin() async throws -> (ReplicaSession, Task<[Item], any Error>) {
        let session = ReplicaSession.over(
          transport, storage: ReplicaFile(path: path, source: Self.source))
        try await session.start()
        let slow = SeededRandom(seed: random.next())
        let reader = Task {
          var slow = slow
          var last: [Item] = []
          for try await update in session.updates() {
            #expect(update.before == last, "seed \(seed)")
            #expect(try last.applying(update.changes) == update.after, "seed \(seed)")
            last = update.after
            try await Task.sleep(for: .milliseconds(slow.number(0...30)))
          }
          return last
        }
        return (session, reader)
      }
      var lives = [try await begin(), try await begin()]
      var made: [String] = []
      for number in 0..<40 {
        let which = random.number(0...1)
        switch random.number(0...7) {
        case 0, 1, 2:
          let new = await transport.server.head.snapshot.changed(
            random.number(1...4), new: "v\(number)", using: &random)
          let isRestored = random.chance(8)
          await transport.change { server in
            if isRestored { server = server.restored(to: server.history.count - 1) }
            if server.head.snapshot != new { server.commit(new) }
          }
        case 3, 4:
          let next = random.next()
          do {
            try await lives[which].0.edit { items in
              var random = SeededRandom(seed: next)
              if items.count > 1, random.chance(2) {
                items.append(items.remove(at: .random(in: items.indices, using: &random)))
              }
              items.insert(
                ModelServer.item("mine\(number)"),
                at: Int.random(in: 0...items.count, using: &random))
            }
            made.append("mine\(number)")
          } catch let error as SyncClient.EditError {
            #expect(error == .notEditable, "seed \(seed)")
          }
        case 5: await lives[which].0.pause()
        case 6: await lives[which].0.resume()
        default:
          await lives[which].0.stop()
          _ = try await lives[which].1.value
          lives[which] = try await begin()
        }
        if random.chance(3) { try await Task.sleep(for: .milliseconds(random.number(0...20))) }
      }
      for life in lives {
        await life.0.resume()
        for await state in life.0.editStates where state == .none { break }
      }
      for life in lives {
        var tries = 0
        while await life.0.copy.state != transport.server.head.state {
          try await Task.sleep(for: .milliseconds(5))
          tries += 1
          if tries > 2000 {
            Issue.record("seed \(seed): \(await life.0.state), \(await life.0.editState)")
            break
          }
        }
      }
      let head = await transport.server.head
      for life in lives {
        await life.0.stop()
        #expect(try await life.1.value == head.snapshot.items, "seed \(seed)")
      }
      let found = try await DatabaseQueue(path: path).read {
        try ItemTable(ofFile: "").rows($0, from: nil, to: nil).map(\.item)
      }
      #expect(found == head.snapshot.items, "seed \(seed)")
      for id in made {
        let has = await transport.server.history.map {
          $0.snapshot.items.contains { $0.id.text == id }
        }
        #expect(zip(has, has.dropFirst()).count { !$0 && $1 } == 1, "\(id), seed \(seed)")
      }
    }
  }
}
