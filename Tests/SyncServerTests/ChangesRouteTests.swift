import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncServer

@Suite(.timeLimit(.minutes(Hang.minutes))) struct ChangesRouteTests {
  private static let path = "/v1/changes"

  private func names(_ answer: ClientAnswer) throws -> [String] {
    try (answer.json["lists"]?.elements ?? []).compactMap { $0["list"]?.text }
  }

  @Test(arguments: Transport.allCases)
  func clientOfManyListsAsksOnce(_ transport: Transport) async throws {
    try await TestServer.run(transport, clock: ManualClock()) { server in
      let cursor = try await server.commit("a")
      let first = try await server.get(Self.path)
      first.expect(status: 200)
      #expect(try first.json["all"] == .bool(true) && names(first) == ["parks"])
      #expect(
        try first.json.at("lists")?.elements?.first?.at("head", "cursor")?.text == "\(cursor)")
      #expect(first["Cache-Control"] == "no-store")
      let mark = try #require(try first.json["mark"]?.text)
      let held = Task { try await server.get("\(Self.path)?since=\(mark)&wait=30") }
      try await eventually("it is held") { server.headCache.watcherCount == 1 }
      try await server.commit("a", "b")
      let news = try await held.value
      #expect(try news.json["all"] == .bool(false) && names(news) == ["parks"])
      let next = try #require(try news.json["mark"]?.text)
      let nothing = try await server.get("\(Self.path)?since=\(next)")
      #expect(try names(nothing) == [] && nothing.json["mark"]?.text == next)
    }
  }

  @Test(arguments: ["changes?since=", "lists/parks/delta?since="])
  func heldRequestEndsWhenItsClientHasGone(_ path: String) async throws {
    try await TestServer.run(.network, clock: ManualClock()) { server in
      let cursor = try await server.commit("a")
      let mark = try #require(try await server.get(Self.path).json["mark"]?.text)
      let since = path.hasPrefix("changes") ? mark : "\(cursor)"
      let port = try #require(server.port)
      var wire: Wire? = try await onThread {
        let wire = try Wire(port: port)
        try wire.write("GET /v1/\(path)\(since)&wait=60 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return wire
      }
      try await eventually("it is held") { server.headCache.watcherCount == 1 }
      #expect(wire != nil)
      wire = nil
      try await eventually("it ends") { server.headCache.watcherCount == 0 }
    }
  }

  @Test(arguments: Transport.allCases)
  func oddParametersAreRefused(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      for query in ["limit=-1", "limit=1001", "wait=61", "wait=x", "limit=", "prefix=a"] {
        try await server.get("\(Self.path)?\(query)").expect(status: 400)
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func tokensDecideWhichListsAreTold(_ transport: Transport) async throws {
    try await TestServer.run(transport, clock: ManualClock()) { server in
      try await server.commit("a")
      let made = try await server.test.service.makeToken(
        named: TokenName("reader")!, grants: [AccessGrant(.read, ListPattern("team-*")!)])
      try await server.headCache.refresh()
      try await server.get(Self.path).expect(status: 401)
      let bearer: KeyValuePairs = ["Authorization": "Bearer \(made.secret.text)"]
      let none = try await server.get(Self.path, bearer)
      #expect(try names(none) == [])
      let mark = try #require(try none.json["mark"]?.text)
      let held = Task { try await server.get("\(Self.path)?since=\(mark)&wait=30", bearer) }
      try await eventually("it is held") { server.headCache.watcherCount == 1 }
      _ = try await server.test.service.revokeToken(named: TokenName("reader")!)
      try await server.headCache.refresh()
      try await held.value.expect(status: 401)
    }
  }
}
