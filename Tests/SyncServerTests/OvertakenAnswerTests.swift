import ListDocuments
import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncServer

/// Long answers that wait for their turn while the list gets a new version and loses old ones.
@Suite struct OvertakenAnswerTests {
  /// A list of this length, and changes of all its items, have no short answer.
  private static let count = 2 * LargeAnswerLimiter.leastItemCount

  /// Commits a version in which every item has another content.
  private static func commit(_ version: Int, _ test: TestStore) async throws {
    let snapshot = try Snapshot.of((0..<count).map { "item-\($0)=\(version)" })
    _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: snapshot))
  }

  /// Answers a request for a list of three versions, of which the newest is replaced meanwhile.
  private func answer(
    to path: String, keeping keptCount: Int,
    _ check: (ClientAnswer, _ snapshot: Snapshot) throws -> Void
  ) async throws {
    let test = try TestStore()
    for version in 1...3 { try await Self.commit(version, test) }
    try await TestServer.run(.inProcess, on: test.store) { server in
      server.store.afterNextRead {
        try await Self.commit(4, test)
        let rule = try #require(RetentionRule(keepLast: keptCount))
        _ = try await test.service.prune(PruneRequest(list: .parks, rule: rule))
      }
      // Not checked against `openapi.json`: the body is too long.
      let answer = try await server.client.send(
        ClientRequest(method: "GET", target: "/v1/lists/parks\(path)"))
      let (head, snapshot) = try await test.service.snapshot(of: .parks)
      #expect(head.version == Version(4))
      try check(answer, snapshot)
      if answer.status != 200 { return }
      // Later requests get the same.
      try await server.headCache.refresh()
      let again = try await server.client.send(
        ClientRequest(method: "GET", target: "/v1/lists/parks\(path)"))
      #expect(again.body == answer.body && again["ETag"] == answer["ETag"], "\(path)")
    }
  }

  @Test(arguments: [
    ("/delta?since=head~1&fallback=snapshot", 2), ("/delta?since=head~1", 2),
    ("/delta?since=1&fallback=snapshot", 1), ("/delta?since=0&fallback=snapshot", 1),
    ("/delta?since=0", 1),
  ])
  func headersOfADeltaAreThoseOfTheAnswerThatWasMade(path: String, keptCount: Int) async throws {
    try await answer(to: path, keeping: keptCount) { answer, _ in
      answer.expect(status: 200)
      let (from, to): (ListState?, ListState) =
        switch try CatchUpAnswer<DeltaDocument>(answer.body) {
        case .changes(let document): (document.from, document.to)
        case .snapshot(let document): (document.from, document.to)
        }
      #expect(to.version == Version(4))
      #expect(answer.tagCursor == to.cursor?.description)
      if let location = answer["Content-Location"] {
        let start = try #require(from?.cursor)
        let end = try #require(to.cursor)
        #expect(location.contains("since=\(start)&to=\(end)"), "\(location)")
      }
    }
  }

  @Test(arguments: ["", "/versions/head", "/versions/2026-11-21"])
  func newestListIsNeverTooOld(path: String) async throws {
    try await answer(to: path, keeping: 1) { answer, snapshot in
      answer.expect(status: 200)
      #expect(SnapshotDocument.encode(snapshot) == answer.body)
      #expect(answer.tagCursor?.hasPrefix("4-") == true)
      #expect(answer["Content-Location"]?.hasSuffix(answer.tagCursor ?? "none") == true)
    }
  }

  @Test(arguments: ["/versions/3", "/delta?since=1&to=2", "/delta?since=1"])
  func prunedVersionIsTooOldAlsoAfterItsAnswerWasBegun(path: String) async throws {
    try await answer(to: path, keeping: 1) { answer, _ in
      #expect(answer.status == 410 && answer.problem == "too-old", "\(answer.text.prefix(300))")
    }
  }
}
