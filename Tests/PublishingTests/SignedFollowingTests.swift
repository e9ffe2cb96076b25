import Foundation
import ListDocuments
import ListModel
import Publishing
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncClient

/// Replicas that follow a publication whose heads are signed.
@Suite struct SignedFollowingTests {
  @Test func signedHeadIsReachedInOneStepFromEachVersion() async throws {
    let key = try #require(SigningKey(name: "lists.example"))
    let list = try await Followed()
    try await list.commit(21)
    _ = try await list.publication.publish(signedBy: [key])
    for version in list.versions.indices {
      var copy = list.versions[version]
      if version > 0 {
        let note = HeadSigner([key]).note(of: .parks, at: copy.state)
        copy.trust = try HeadTrust(
          key.verifier, try #require(note), of: .parks, at: copy.state)
      }
      let session = list.session(from: copy, key: key.verifier)
      let storage = list.storage
      try await session.start()
      try await session.settle()
      #expect(await session.copy == list.head, "from version \(version)")
      #expect(await storage.stepCount <= 1)
    }
  }

  @Test func spoiledFileOnTheWayToASignedHeadIsNeverShown() async throws {
    let key = try #require(SigningKey(name: "lists.example"))
    let list = try await Followed()
    try await list.commit(9)
    _ = try await list.publication.publish(signedBy: [key])
    let forger = try await Followed(count: 401)
    try await forger.commit(9)
    _ = try await forger.publication.publish(signedBy: [key])
    let start = try await list.caughtUp(key: key.verifier).copy
    try await list.commit(3)
    _ = try await list.publication.publish(signedBy: [key])
    // A head of another history, with its files; and heads that somebody has edited.
    let whole = try #require(try forger.publication.head().whole).file
    await list.transport.replace("/parks/\(whole)", try forger.publication.bytes(whole))
    for (head, kind) in [
      (try forger.publication.bytes("head.json"), "forked"),
      (try list.publication.edited("head.json", "\"note\"", "\"not\""), "unsigned"),
      (
        try list.publication.edited("head.json", "list-head/1\\nparks", "list-head/1\\nfilms"),
        "false-signature"
      ),
    ] {
      await list.transport.replace("/parks/head.json", head)
      let error = await #expect(throws: ReplicaError.self) {
        try await list.caughtUp(from: start, key: key.verifier)
      }
      guard case .untrusted(let refusal) = error else {
        Issue.record("\(kind): \(error as Any)")
        continue
      }
      #expect(refusal.kind == kind)
      await list.transport.thaw()
    }
    #expect(try await list.caughtUp(from: start, key: key.verifier).copy == list.head)
    let other = try #require(SigningKey(name: "other"))
    let error = await #expect(throws: ReplicaError.self) {
      try await list.caughtUp(key: other.verifier)
    }
    if case .untrusted(.otherKey) = error {} else { Issue.record("\(error as Any)") }
  }

  @Test func oldSignedHeadIsTriedAgainAndThenRefused() async throws {
    let key = try #require(SigningKey(name: "lists.example"))
    let list = try await Followed()
    try await list.commit(3)
    _ = try await list.publication.publish(signedBy: [key])
    let old = try list.publication.bytes("head.json")
    try await list.commit(3)
    _ = try await list.publication.publish(signedBy: [key])
    let copy = try await list.caughtUp(key: key.verifier).copy
    await list.transport.replace("/parks/head.json", old)
    await #expect(
      throws: ReplicaError.untrusted(.older(list.versions[3].cursor, than: copy.cursor))
    ) {
      try await list.caughtUp(from: copy, key: key.verifier)
    }
  }

  @Test func keyThatTakesOverIsFollowed() async throws {
    let (key, next) = (SigningKey(name: "a")!, SigningKey(name: "b")!)
    let list = try await Followed()
    var copy = ListCopy.empty
    for keys in [[key], [key, next], [next]] {
      try await list.commit(2)
      _ = try await list.publication.publish(signedBy: keys)
      copy = try await list.caughtUp(from: copy, key: key.verifier).copy
      #expect(copy == list.head && copy.trust?.present == keys.last?.verifier)
    }
    // A client that has the old key alone cannot begin any more.
    await #expect(throws: ReplicaError.self) { try await list.caughtUp(key: key.verifier) }
  }

  @Test func otherKeyWritesTheHeadAgain() async throws {
    let key = try #require(SigningKey(name: "a"))
    let list = try await Followed()
    try await list.commit(2)
    _ = try await list.publication.publish()
    #expect(try list.publication.head().note == nil)
    _ = try await list.publication.publish(signedBy: [key])
    let note = try #require(try list.publication.head().note)
    #expect(try SignedHead(note: note, signedBy: key.verifier).isOf(list.head.state))
    _ = try await list.publication.publish(signedBy: [key])
    #expect(try list.publication.head().note == note)
  }
}
