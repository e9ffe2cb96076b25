import Foundation
import ListChanges
import ListChangesTesting
import ListModel
import TestSupport
import Testing

@testable import SyncClient

@Suite(.timeLimit(.minutes(Hang.minutes))) struct ReplicaTests {
  private struct Park: Decodable, Identifiable, Equatable, Sendable {
    let id: String
    let value: Int

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      id = try container.decode(String.self, forKey: .id)
      value = try container.decode(Int.self, forKey: .value)
      (decoder.userInfo[Self.counter] as? Counter)?.increment()
    }

    private enum Key: CodingKey { case id, value }

    static let counter = CodingUserInfoKey(rawValue: "counter")!
  }

  /// Unchecked because only one task at a time counts.
  private let transport = FakeTransport(MachineFixture.server)

  @Test func itemsAreDecodedOnceAndAgainOnlyWhenTheyChange() async throws {
    let counter = Counter()
    let replica = Replica<Park>(ReplicaSession.over(transport)) {
      let decoder = JSONDecoder()
      decoder.userInfo[Park.counter] = counter
      return decoder
    }
    try await replica.start()
    var updates = replica.updates.makeAsyncIterator()
    let first = try #require(try await updates.next())
    #expect(first.after.map(\.id) == ["c", "d", "b"])
    #expect(counter.value == 3)
    await transport.change { $0.commit(["b=2", "c", "d", "e=5"]) }
    let second = try #require(try await updates.next())
    #expect(second.before == first.after)
    #expect(second.after.map(\.value) == [2, 0, 0, 5])
    #expect(counter.value == 5)
    await replica.stop()
  }

  /// A loop that began with an empty list would insert the items again, which ends a program with
  /// UIKit.
  @MainActor @Test func loopContinuesFromTheLastUpdateOfAViewAfterAnError() async throws {
    let replica = Replica<Park>(ReplicaSession.over(transport))
    try await replica.start()
    let view = SimulatedView(showing: [Park]())
    var last: ReplicaUpdate<Park>?
    func follow() async throws {
      for try await update in replica.updates(after: last) {
        view.update(by: update.batchUpdates, inSection: 0) { view.data[0].items = update.after }
        last = update
        if try view.displayed[0].items.map(\.id) == ["e"] { return }
        while await transport.waitingCount == 0 { await Task.yield() }
        await transport.plan(ReplicaResponse(status: 401))
        await replica.pause()
        await replica.resume()
      }
    }
    await #expect(throws: ReplicaError.unauthenticated(detail: nil)) { try await follow() }
    #expect(try view.displayed[0].items.map(\.id) == ["c", "d", "b"])
    await transport.change { $0.commit(["e"]) }
    await replica.resume()
    try await follow()
    #expect(last?.before.map(\.id) == ["c", "d", "b"])
    await replica.stop()
  }

  @Test func replicaThatProvesAsksForTheHeadersBetween() async throws {
    let address = try ServerAddress("http://localhost")
    let replica = Replica<Park>(
      of: ModelServer.list, at: address, storage: .memory, proves: true,
      decoder: { JSONDecoder() }, over: transport)
    try await replica.start()
    var updates = replica.updates.makeAsyncIterator()
    _ = try await updates.next()
    await transport.change { server in
      for value in 1...3 { server.commit(["c=\(value)"]) }
    }
    let update = try #require(try await updates.next())
    #expect(update.after.map(\.value) == [3])
    let last = await transport.server.history[5].cursor
    #expect(await transport.requests.contains { $0.purpose == .prove(upTo: last) })
    #expect(await replica.session.copy == transport.server.head)
    await replica.stop()
  }

  @Test func undecodableItemIsNamedAndTheCopyStillFollows() async throws {
    let replica = Replica<Park>(ReplicaSession.over(transport))
    try await replica.start()
    var updates = replica.updates.makeAsyncIterator()
    _ = try await updates.next()
    let text = #""seven""#
    await transport.change { $0.commit(["c", "d", "b=\(text)"]) }
    await #expect {
      try await updates.next()
    } throws: { error in
      guard case ReplicaError.undecodable(id: "b", let reason) = error else { return false }
      return reason.hasPrefix("/value: ")
    }
    #expect(await replica.session.copy == transport.server.head)
    await transport.change { $0.commit(["b=3", "c"]) }
    try await replica.session.reach(await transport.server.head.cursor)
    let update = try #require(try await updates.next())
    #expect(update.before.map(\.id) == ["c", "d", "b"])
    #expect(update.after.map(\.value) == [3, 0])
    await replica.stop()
  }
}
