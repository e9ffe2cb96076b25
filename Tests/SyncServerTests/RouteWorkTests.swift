import HTTPTypes
import ListModel
import ListStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncServer

/// Every route is made by the rule for its work (``LargeAnswerLimiter``).
///
/// A new route needs a line among the targets below.
@Suite struct RouteWorkTests {
  private static let parks = "/v1/lists/parks"

  /// An address for each route that reads. Those of ``Route/Work/shared`` and ``Route/Work/own``
  /// cost more than ``longCost``.
  private static let targets = [
    "/": "/", "/page/{file}": "/page/page.js", "/healthz": "/healthz", "/readyz": "/readyz",
    "/metrics": "/metrics", "/openapi.json": "/openapi.json",
    "/v1/lists": "/v1/lists", "/v1/changes": "/v1/changes", "/v1/events": "/v1/events",
    "/v1/lists/{list}/events": "\(parks)/events",
    "/v1/lists/{list}/tags": "\(parks)/tags",
    "/v1/lists/{list}": parks,
    "/v1/lists/{list}/versions/{revision}": "\(parks)/versions/70",
    "/v1/lists/{list}/delta": "\(parks)/delta?since=41",
    "/v1/lists/{list}/versions": "\(parks)/versions?groups=3",
    "/v1/lists/{list}/items/{item}/history": "\(parks)/items/a/history",
    "/v1/lists/{list}/history": "\(parks)/history?item=a",
    "/v1/lists/{list}/items/{item}/places": "\(parks)/items/a/places",
    "/v1/lists/{list}/places": "\(parks)/places?item=a",
    "/v1/lists/{list}/prunings": "\(parks)/prunings",
    "/v1/lists/{list}/items/{item}": "\(parks)/items/a?at=41",
    "/v1/lists/{list}/items": "\(parks)/items?item=a&at=41",
    "/v1/lists/{list}/bundle": "\(parks)/bundle",
  ]
  private static let longCost = 10
  private static let counts = (versions: 80, pruned: 40, items: 100)

  private static func filled() async throws -> TestStore {
    let test = try TestStore()
    let others = (1..<counts.items).map { "item-\($0)" }
    for number in 1...counts.versions {
      _ = try await test.service.commit(
        CommitRequest(list: .parks, snapshot: .of(["a=\(number)"] + others)))
      let tag = try #require(TagName("tag-\(number)"))
      // The lists of tags and of prunings are a little longer than a short answer, too.
      if number > counts.versions - 13 { _ = try await test.service.tag(tag, of: .parks) }
    }
    for count in stride(from: 1, through: counts.pruned, by: 3) {
      _ = try await test.service.prune(keepLast: counts.versions - count)
    }
    return test
  }

  private static func run(
    isCompact: Bool, longAnswerCost: Int = longCost,
    _ body: (TestServer, LoopingStore) async throws -> Void
  ) async throws {
    let test = try await filled()
    if isCompact { _ = try await test.service.compact(.parks) }
    let store = LoopingStore(test.store)
    try await TestServer.run(.network, on: store, longAnswerCost: longAnswerCost) { server in
      defer { store.release() }
      try await body(server, store)
    }
  }

  private static func open(
    _ count: Int, _ target: String, method: String = "GET", of server: TestServer
  ) async throws -> [Wire] {
    let port = try #require(server.port)
    return try await onThread {
      try (0..<count).map { _ in
        let wire = try Wire(port: port)
        try wire.write(
          "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n")
        return wire
      }
    }
  }

  /// The routes of a server, except those that commit, with their targets.
  private static func routes(_ server: TestServer) throws -> [(route: Route, target: String)] {
    try Routes(server: server.syncServer).all.filter { $0.work != .commit }.map { route in
      (route, try #require(targets[route.path], "no target for the route \(route.path)"))
    }
  }

  /// Runs a body while no other long answer has its turn.
  private static func holdingAllTurns(
    of server: TestServer, _ body: (_ waitingCount: Int) async throws -> Void
  ) async throws {
    let answers = server.syncServer.answerLimiter
    // As many as can have their turn, and some that wait.
    let holders = (0..<8).map { _ in
      Task { try await answers.make { try await Task.sleep(for: Hang.duration) } }
    }
    defer { for holder in holders { holder.cancel() } }
    try await eventually("all turns are taken") { answers.waitingCount >= 4 }
    var count = -1
    try await eventually("no more of them comes to wait") {
      defer { count = answers.waitingCount }
      try await Task.sleep(for: .milliseconds(20))
      return count == answers.waitingCount
    }
    try await body(count)
  }

  @Test func routesThatWriteAreThoseOfWritersAndEveryOtherRouteHasATarget() async throws {
    try await TestServer.run(.inProcess) { server in
      let routes = Routes(server: server.syncServer).all
      for route in routes {
        #expect((route.work == .commit) == (route.method != .get), "\(route.path)")
      }
      let reading = routes.filter { $0.work != .commit }.map(\.path)
      #expect(reading.sorted() == Self.targets.keys.sorted())
    }
  }

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func boundedRouteReadsNoList() async throws {
    let test = try await Self.filled()
    try await TestServer.run(.network, on: test.store) { server in
      for (route, target) in try Self.routes(server) where route.work == .bounded {
        let rows = try await test.rowsRead {
          // A stream of events ends only with its client, but one of HEAD has no body.
          let answer = try await server.client.send(
            ClientRequest(
              method: "HEAD", target: target, headers: [Header("Accept", "text/html")]))
          #expect(answer.status == 200, "\(target)")
        }
        #expect(rows < 20, "\(target): \(rows) rows")
      }
    }
  }

  @Test(.timeLimit(.minutes(Hang.minutes)), arguments: [false, true])
  func longAnswersWaitForTheirTurnTogetherAndLeaveWithTheirClients(isCompact: Bool) async throws {
    try await Self.run(isCompact: isCompact) { server, _ in
      let answers = server.syncServer.answerLimiter
      try await Self.holdingAllTurns(of: server) { before in
        for (route, target) in try Self.routes(server) where route.work != .bounded {
          var wires = try await Self.open(3, target, of: server)
          let expected = before + (route.work == .shared ? 1 : 3)
          try await eventually("\(target) waits for its turn", within: 60) {
            answers.waitingCount == expected
          }
          #expect(wires.count == 3)
          wires = []
          try await eventually("\(target) no longer waits", within: 60) {
            answers.waitingCount == before
          }
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(Hang.minutes)), arguments: [false, true])
  func shortAnswersNeedNoTurn(isCompact: Bool) async throws {
    try await Self.run(isCompact: isCompact, longAnswerCost: LargeAnswerLimiter.leastCost) {
      server, _ in
      try await Self.holdingAllTurns(of: server) { _ in
        for (route, target) in try Self.routes(server) where route.work != .bounded {
          let answer = try await server.client.send(ClientRequest(method: "GET", target: target))
          #expect(answer.status == 200, "\(target)")
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(Hang.minutes)), arguments: [false, true])
  func readingOfALongAnswerEndsWhenItsLastClientHasGone(isCompact: Bool) async throws {
    try await Self.run(isCompact: isCompact) { server, store in
      store.loop()
      for (route, target) in try Self.routes(server) where route.work != .bounded {
        let begun = store.begunCount
        var wires = try await Self.open(route.work == .shared ? 2 : 1, target, of: server)
        try await eventually("\(target) is being read", within: 60) { store.begunCount > begun }
        #expect(store.begunCount == begun + 1, "\(target)")
        #expect(!wires.isEmpty)
        wires = []
        try await eventually("the reading of \(target) ends", within: 60) {
          store.endedCount == store.begunCount
        }
      }
    }
  }

  /// The first reading of a bundle is that of its plan, and then its head is sent.
  @Test(.timeLimit(.minutes(Hang.minutes)))
  func batchOfAStreamEndsWhenItsClientHasGone() async throws {
    try await Self.run(isCompact: false) { server, store in
      store.loop(after: 1)
      var wires = try await Self.open(1, "\(Self.parks)/bundle", of: server)
      try await eventually("the batch is being read") { store.begunCount == 1 }
      #expect(wires.count == 1)
      wires = []
      try await eventually("the reading ends", within: 60) { store.endedCount == 1 }
    }
  }

  /// An interim answer would break an answer of which a part was sent.
  @Test(.timeLimit(.minutes(Hang.minutes)))
  func clientThatOnlyStoppedSendingGetsTheRestOfItsStream() async throws {
    try await Self.run(isCompact: false) { server, store in
      let target = "\(Self.parks)/bundle"
      let whole = try await server.client.send(ClientRequest(method: "GET", target: target))
      store.loop(after: 1)
      let wire = try await Self.open(1, target, of: server)[0]
      try await eventually("the batch is being read") { store.begunCount == 1 }
      var bytes = try await onThread { try wire.read() }
      wire.endWriting()
      try await Task.sleep(for: .milliseconds(800))
      #expect(store.endedCount == 0)
      store.release()
      bytes += try await onThread { try wire.readToEnd() }
      let (answer, rest) = try ClientAnswer.parse(bytes[...], isHead: false)
      #expect(answer.body == whole.body)
      #expect(rest.isEmpty)
    }
  }
}
