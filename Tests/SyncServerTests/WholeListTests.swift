import Foundation
import Gzip
import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncServer

/// Answers with a whole list, which cost much: many requests for one list cost one of them.
@Suite struct WholeListTests {
  /// A list of this length has no short answer.
  private static let count = 2_000

  /// Sends a request. The bodies are too long to be compared with `openapi.json`.
  private func get(
    _ target: String, from server: TestServer, _ headers: Header...
  ) async throws -> ClientAnswer {
    try await server.client.send(ClientRequest(method: "GET", target: target, headers: headers))
  }

  /// Four versions, of which the first two are pruned.
  private static func fill(_ test: TestStore) async throws {
    let ids = (0..<count).map { "item-\($0)" }
    for version in 1...4 {
      let snapshot = try Snapshot.of(ids.dropLast(version) + ["new-\(version)"])
      _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: snapshot))
    }
    let rule = try #require(RetentionRule(keepLast: 2))
    _ = try await test.service.prune(PruneRequest(list: .parks, rule: rule))
  }

  private static func delta(_ query: String) -> [String] {
    (1...20).map { "/v1/lists/parks/delta?\(query)&limit=\($0)" }
  }

  /// Addresses of one whole list each.
  static let floods: [[String]] = [
    delta("since=0&fallback=snapshot") + ["/v1/lists/parks/delta?since=0&fallback=snapshot"],
    delta("since=1&fallback=snapshot") + delta("since=2&fallback=snapshot"),
    (10...30).map { "/v1/lists/parks/delta?since=3-0000000000\($0)&fallback=snapshot" },
    // The first page ends at the oldest version.
    delta("since=0"), delta("since=0&as=batch"), delta("since=0&as=json-patch"),
    ["4", "head", "head~0", "2026-11-21T12:00:01Z", "2026-11-21T12:00:02Z", "2026-11-21"].map {
      "/v1/lists/parks/versions/\($0)"
    } + ["/v1/lists/parks"],
  ]

  @Test(arguments: floods)
  func requestsWithOneAnswerReadTheListOnce(_ targets: [String]) async throws {
    try await TestServer.run(.inProcess) { server in
      try await Self.fill(server.test)
      try await server.headCache.refresh()
      var bodies: Set<[UInt8]> = []
      let rows = try await server.test.rowsRead {
        for target in targets {
          let answer = try await get(target, from: server)
          answer.expect(status: 200)
          bodies.insert(answer.body)
        }
      }
      #expect(bodies.count == 1)
      #expect(rows < 2 * Self.count, "\(rows) rows for \(targets.count) requests")
    }
  }

  /// The headers of such an answer still belong to its request.
  @Test func answerThatOthersShareHasTheHeadersOfItsRequest() async throws {
    try await TestServer.run(.inProcess) { server in
      try await Self.fill(server.test)
      try await server.headCache.refresh()
      let head = try #require(server.headCache.head(of: .parks)?.head.cursor)
      for limit in [1, 2] {
        let page = try await get("/v1/lists/parks/delta?since=0&limit=\(limit)", from: server)
        #expect(page.next?.hasSuffix("&limit=\(limit)") == true, "\(page.next ?? "no next page")")
      }
      for (revision, isImmutable) in [("\(head)", true), ("head", false)] {
        let answer = try await get("/v1/lists/parks/versions/\(revision)", from: server)
        #expect(answer["ETag"] == "\"\(head)\"")
        #expect(answer["Cache-Control"]?.hasSuffix("immutable") == isImmutable)
      }
      for target in Self.floods.map({ $0[0] }) {
        let first = try await get(target, from: server)
        let tag = Header("If-None-Match", try #require(first["ETag"]))
        try await get(target, from: server, tag).expect(status: 304)
        let coded = try await get(target, from: server, Header("Accept-Encoding", "gzip"))
        let decompressor = GzipDecompressor(byteLimit: 1 << 24)
        decompressor.feed(coded.body)
        var bytes: [UInt8] = []
        while let piece = try decompressor.next() { bytes += piece }
        #expect(bytes == first.body)
      }
    }
  }

  private func open(_ count: Int, _ target: String, port: Int, version: String = "1.1") async throws
    -> [Wire]
  {
    try await onThread {
      try (1...count).map { number in
        let wire = try Wire(port: port)
        try wire.write(
          "GET \(target)&limit=\(number) HTTP/\(version)\r\nHost: localhost\r\n\r\n")
        return wire
      }
    }
  }

  @Test(
    .timeLimit(.minutes(Hang.minutes)),
    arguments: ["1.1", "1.0"])
  func makingEndsWhenItsLastClientHasGone(_ version: String) async throws {
    let test = try TestStore()
    try await Self.fill(test)
    let store = StallingStore(test.store)
    try await TestServer.run(.network, on: store) { server in
      // Each request first reads what its answer depends on.
      store.stallLongReads()
      // Else a failed expectation would leave a server that never stops.
      defer { store.release() }
      let target = "/v1/lists/parks/delta?since=0&fallback=snapshot"
      let port = try #require(server.port)
      var wires = try await open(5, target, port: port, version: version)
      // Each waits for its own answer, and this one for the body that all share.
      try await eventually("all wait") { server.syncServer.cache.waitingCount == 10 }
      try await eventually("one list is being read") { store.stalledCount == 1 }
      wires.removeLast(4)
      try await Task.sleep(for: .seconds(1))
      #expect(store.cancelledCount == 0, "one client still waits")
      #expect(store.stalledCount == 1)
      wires = []
      try await eventually("the reading ends") { store.cancelledCount == 1 }
    }
  }

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func clientThatOnlyStoppedSendingStillGetsItsAnswer() async throws {
    let test = try TestStore()
    try await Self.fill(test)
    let store = StallingStore(test.store)
    try await TestServer.run(.network, on: store) { server in
      store.stallLongReads()
      // Else a failed expectation would leave a server that never stops.
      defer { store.release() }
      let target = "/v1/lists/parks/delta?since=0&fallback=snapshot"
      let wire = try await open(1, target, port: try #require(server.port))[0]
      wire.endWriting()
      try await eventually("the list is being read") { store.stalledCount == 1 }
      let head = try await onThread { try wire.read() }
      let (interim, rest) = try ClientAnswer.parse(head[...], isHead: false)
      #expect(interim.status == 100, "the server asks whether the client is there")
      #expect(rest.isEmpty)
      #expect(store.cancelledCount == 0)
      store.release()
      let bytes = try await onThread { try wire.readToEnd() }
      let (answer, end) = try ClientAnswer.parse(bytes[...], isHead: false)
      #expect(answer.status == 200)
      #expect(answer.body.count > Self.count)
      #expect(end.isEmpty)
    }
  }
}
