import Foundation
import ListChanges
import ListChangesTesting
import ListModel
import TestSupport
import Testing

@testable import SyncClient

/// Edits of a replica, shown, sent and merged. The server begins with `c d b`.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct ReplicaEditTests {
  private struct Park: Codable, Identifiable, Equatable, Sendable {
    let id: String
    var value: Int
  }

  private let transport = FakeTransport(MachineFixture.server)

  private func session(_ watches: Bool = true) async throws -> ReplicaSession {
    let session = ReplicaSession.over(transport, watches: watches)
    try await session.start()
    try await session.reach(MachineFixture.server.head.cursor)
    return session
  }

  private func ids() async -> [String] {
    await transport.server.head.snapshot.items.map(\.id.text)
  }

  @Test func editIsShownAtOnceAndSentWhenTheServerIsThere() async throws {
    let replica = Replica<Park>(try await session())
    var updates = replica.updates.makeAsyncIterator()
    let first = try #require(try await updates.next())
    await transport.failByChance(oneIn: 1, SeededRandom(seed: 1))
    try await replica.edit { parks in
      parks[0].value = 7
      parks.append(Park(id: "new", value: 1))
      parks.swapAt(1, 2)
    }
    let second = try #require(try await updates.next())
    #expect(second.after.map(\.id) == ["c", "b", "d", "new"])
    let view = await SimulatedView(showing: first.after)
    await MainActor.run {
      view.update(by: second.batchUpdates, inSection: 0) { view.data[0].items = second.after }
    }
    #expect(second.to == first.to)
    while await replica.session.editState == .pending(nil) { await Task.yield() }
    await transport.failNoMore()
    try await replica.session.waitForEdits()
    #expect(await ids() == ["c", "b", "d", "new"])
    #expect(await transport.server.history.count == MachineFixture.server.history.count + 1)
    let third = try #require(try await updates.next())
    #expect(third.changes.isEmpty && third.after == second.after)
    #expect(third.to == (await transport.server.head.state))
    await replica.stop()
  }

  @Test func editKeepsMembersThatTheTypeDoesNotKnow() async throws {
    struct Name: Codable, Identifiable, Equatable, Sendable {
      let id: String
      var name: String?
    }
    let replica = Replica<Name>(try await session())
    try await replica.edit { $0[0].name = "C" }
    try await replica.session.waitForEdits()
    let item = await transport.server.head.snapshot.items[0]
    #expect("\(item.content)" == #"{"id":"c","name":"C","value":0}"#)
    await replica.stop()
  }

  @Test func editsOfOthersMeanwhileAreMerged() async throws {
    let session = try await session()
    await transport.failByChance(oneIn: 1, SeededRandom(seed: 1))
    try await session.edit { $0.removeLast() }
    await transport.change { $0.commit(["new=3", "d=4", "c", "b=1"]) }
    await transport.failNoMore()
    try await session.waitForEdits()
    #expect(await ids() == ["new", "d", "c"])
    #expect(await session.copy == (await transport.server.head))
    await session.stop()
  }

  @Test(arguments: [MergeSide.mine, .theirs, nil])
  func conflictIsReportedAndTheAppDecides(_ side: MergeSide?) async throws {
    let session = try await session()
    await transport.failByChance(oneIn: 1, SeededRandom(seed: 1))
    try await session.edit { $0[0] = ModelServer.item("c=5") }
    await transport.change { $0.commit(["c=6", "d", "b"]) }
    let head = await transport.server.head
    await transport.failNoMore()
    let refusal = try await session.refusal()
    guard case .conflicts(let conflicts) = refusal else {
      return #expect(Bool(false), "\(refusal)")
    }
    #expect(conflicts.map(\.id.text) == ["c"])
    #expect(conflicts.map { "\($0.member.path)" } == ["/value"])
    #expect(await transport.server.head == head, "nothing was stored")
    if let side {
      try await session.resolve(preferring: side)
    } else {
      try await session.edit { $0[0] = ModelServer.item("c=9") }
    }
    try await session.waitForEdits()
    let value = "\(await transport.server.head.snapshot.items[0].content)"
    #expect(value == #"{"id":"c","value":\#(side == .mine ? 5 : side == .theirs ? 6 : 9)}"#)
    await session.stop()
  }

  @Test func discardedEditsAreGone() async throws {
    let session = try await session()
    await transport.failByChance(oneIn: 1, SeededRandom(seed: 1))
    try await session.edit { $0.removeAll() }
    try await session.discardEdits()
    await transport.failNoMore()
    #expect(await session.editState == .none)
    var updates = session.updates().makeAsyncIterator()
    #expect(try await updates.next()?.after.count == 3)
    #expect(await ids() == ["c", "d", "b"])
    await session.stop()
  }

  /// The server has the edit, others have removed the item since, and the answer was lost.
  @Test func editWhoseAnswerWasLostIsNotMadeAgain() async throws {
    let session = try await session(false)
    try await session.edit { $0.append(ModelServer.item("new")) }
    try await session.settle()
    await transport.loseAnswersToEdits(true)
    try await session.edit { $0.append(ModelServer.item("once")) }
    while await !ids().contains("once") { await Task.yield() }
    await transport.change { server in
      server.commit(server.head.snapshot.items.map(\.id.text).filter { $0 != "once" })
    }
    await transport.loseAnswersToEdits(false)
    try await session.waitForEdits()
    try await session.settle()
    #expect(await ids() == ["c", "d", "b", "new"])
    #expect(await session.copy == (await transport.server.head))
    await session.stop()
  }

  @Test func editsAreMadeOfTheCopyWhenTheirBaseWasPruned() async throws {
    let session = try await session()
    await session.pause()
    try await session.edit { $0.append(ModelServer.item("new")) }
    await transport.change { server in
      for count in 1...3 { server.commit(["b=\(count)", "c", "d"]) }
      server.oldest = server.history.count - 1
    }
    await session.resume()
    try await session.waitForEdits()
    #expect(await ids() == ["b", "c", "d", "new"])
    await session.stop()
  }

  @Test func editsOfAListThatBeganAgainAreMadeOfTheNewOne() async throws {
    let session = try await session()
    await session.pause()
    try await session.edit { $0.append(ModelServer.item("new")) }
    await transport.change { server in
      server = server.restored(to: 1)
      server.commit(["z"])
    }
    await session.resume()
    try await session.waitForEdits()
    let ids = await ids()
    #expect(ids.contains("new") && ids.contains("z"))
    await session.stop()
  }

  @Test func idTwiceIsRefusedAndChangesNothing() async throws {
    let session = try await session()
    await #expect(throws: EditError.self) { try await session.edit { $0.append($0[0]) } }
    #expect(await session.editState == .none)
    await session.stop()
    await #expect(throws: EditError.notEditable) { try await session.edit { $0.removeAll() } }
  }

  @Test func refusalOfTheServerIsShownUntilTheReplicaTriesAgain() async throws {
    let session = try await session()
    await transport.planForEdits(ReplicaResponse(status: 403), ReplicaResponse(status: 422))
    try await session.edit { $0.removeAll() }
    #expect(try await session.refusal() == .error(.forbidden(detail: nil)))
    var updates = session.updates().makeAsyncIterator()
    #expect(try await updates.next()?.after.isEmpty == true, "the edit is shown")
    await session.resume()
    while try await session.refusal() == .error(.forbidden(detail: nil)) { await Task.yield() }
    #expect(await ids() == ["c", "d", "b"])
    await session.resume()
    try await session.waitForEdits()
    #expect(await ids() == [])
    await session.stop()
  }

  @Test func publicationTakesNoEdits() async throws {
    struct Publication: ReplicaOrigin {
      func answer(
        to request: ReplicaRequest, from copy: ListState, limits: Limits
      ) async -> ReplicaAnswer {
        .notModified(nil)
      }
    }
    let options = ReplicaMachine.Options(list: ModelServer.list)
    let session = ReplicaSession(
      options, origin: Publication(), storage: ReplicaMemory(MachineFixture.server.head))
    await #expect(throws: EditError.readOnly) { try await session.edit { $0.removeAll() } }
    #expect(await session.editState == .none)
    await session.stop()
  }
}

extension ReplicaSession {
  /// Waits until the copy has all edits.
  func waitForEdits() async throws {
    while editState != .none {
      if case .failed(let error) = state { throw error }
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  /// Waits until the edits are refused.
  func refusal() async throws -> EditRefusal {
    while true {
      if case .refused(let refusal) = editState { return refusal }
      try await Task.sleep(for: .milliseconds(1))
    }
  }
}
