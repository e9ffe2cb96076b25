import Foundation
import GRDB
import GRDBReplica
import ListDocuments
import ListModel
import Publishing
import StoreTestSupport
import TestSupport
import Testing

@testable import SyncClient

/// Tables of an app that follow a publication.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct TableFollowingTests {
  private let writer = try! DatabaseQueue()

  init() throws {
    try writer.write { db in
      try db.execute(
        sql: "CREATE TABLE parks (id TEXT UNIQUE, place INTEGER NOT NULL, content BLOB NOT NULL)")
    }
  }

  private func replica(_ list: Followed, key: VerifierKey? = nil) async throws -> TableReplica {
    let replica = TableReplica(
      of: .parks, server: "https://lists.example",
      from: AddressOrigin(list.transport, clock: .immediate), in: writer,
      table: ItemTable("parks"), key: key, watches: false, clock: .immediate)
    try await replica.start()
    return replica
  }

  private func items() throws -> [Item] {
    try writer.read { db in
      try Row.fetchAll(db, sql: "SELECT id, content FROM parks ORDER BY place").map { row in
        Item(
          id: ItemID(row["id"]),
          content: try Content(json: String(decoding: row["content"] as Data, as: UTF8.self)))
      }
    }
  }

  @Test(arguments: [false, true])
  func rowsAreThePublishedListAfterEachVersion(isSigned: Bool) async throws {
    let key = isSigned ? SigningKey(name: "lists.example") : nil
    let list = try await Followed()
    let table = try await replica(list, key: key?.verifier)
    for round in 0..<8 {
      try await list.commit([1, 2, 5, 1][round % 4])
      _ = try await list.publication.publish(signedBy: key.map { [$0] } ?? [])
      await list.transport.forgetRequests()
      await table.resume()
      try await table.settle()
      #expect(await table.state == list.head.state)
      #expect(try items() == list.head.snapshot.items)
      let requests = await list.transport.requests
      #expect(round == 0 || !requests.contains { $0.contains("/whole/") }, "\(requests)")
    }
    // A later run goes on with the saved copy, and with its signed head.
    await table.stop()
    await list.transport.forgetRequests()
    let later = try await replica(list, key: key?.verifier)
    #expect(await later.state == list.head.state)
    try await later.settle()
    #expect(await list.transport.requests == ["/parks/head.json"])
    await later.stop()
  }

  @Test func headOfAnotherKeyGetsNoRowIntoTheTable() async throws {
    let (key, other) = (SigningKey(name: "lists.example")!, SigningKey(name: "other")!)
    let list = try await Followed()
    try await list.commit(3)
    for keys in [[], [other]] {
      _ = try await list.publication.publish(signedBy: keys)
      let table = try await replica(list, key: key.verifier)
      let error = await #expect(throws: ReplicaError.self) { try await table.settle() }
      if case .untrusted = error {} else { Issue.record("\(error as Any)") }
      #expect(try items().isEmpty)
      #expect(await table.state == .zero)
      await table.stop()
    }
    _ = try await list.publication.publish(signedBy: [key])
    let table = try await replica(list, key: key.verifier)
    try await table.settle()
    let known = list.head
    #expect(try items() == known.snapshot.items)
    // News that somebody else has signed.
    try await list.commit(2)
    _ = try await list.publication.publish(signedBy: [other])
    await table.resume()
    let error = await #expect(throws: ReplicaError.self) { try await table.settle() }
    if case .untrusted = error {} else { Issue.record("\(error as Any)") }
    #expect(try items() == known.snapshot.items)
    #expect(await table.state == known.state)
    _ = try await list.publication.publish(signedBy: [key])
    await table.resume()
    try await table.settle()
    #expect(try items() == list.head.snapshot.items)
    await table.stop()
  }

  /// The rows of a copy that was begun without a key are those of the signed list afterwards.
  @Test func keyThatIsGivenLaterIsProvedForTheRows() async throws {
    let key = SigningKey(name: "lists.example")!
    let list = try await Followed()
    try await list.commit(3)
    _ = try await list.publication.publish(signedBy: [key])
    let first = try await replica(list)
    try await first.settle()
    await first.stop()
    try await list.commit(2)
    _ = try await list.publication.publish(signedBy: [key])
    let table = try await replica(list, key: key.verifier)
    try await table.settle()
    #expect(await table.state == list.head.state)
    #expect(try items() == list.head.snapshot.items)
    await table.stop()
  }

  @Test func editOfAPublishedListIsRefusedAndCanBeDiscarded() async throws {
    let list = try await Followed()
    try await list.commit(2)
    _ = try await list.publication.publish()
    let table = try await replica(list)
    try await table.settle()
    let mine = try Snapshot.of("mine").items
    try await writer.write { db in try table.edit(db, [.put(mine[0], .first)]) }
    for await state in table.editStates where state == .refused(.readOnly) { break }
    #expect(try items() == mine + list.head.snapshot.items)
    // News come in below the edit.
    try await list.commit(2)
    _ = try await list.publication.publish()
    await table.resume()
    try await eventually("the news are there") { await table.state == list.head.state }
    #expect(try items().first == mine[0])
    try await table.discardEdits()
    #expect(try items() == list.head.snapshot.items)
    await table.stop()
  }
}
