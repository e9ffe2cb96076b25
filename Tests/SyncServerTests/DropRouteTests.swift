import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncServer

@Suite struct DropRouteTests {
  private static let parks = "/v1/lists/parks"

  @Test(arguments: Transport.allCases)
  func droppedListIsGoneAtEveryAddress(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let old = try await server.commit("a")
      let new = try await server.commit("b")
      for (headers, kind, status) in [
        ([:], "precondition-required", 428), (["If-None-Match": "*"], "invalid-request", 400),
        (["If-Match": "\"\(old)\""], "precondition-failed", 412),
      ] as [(KeyValuePairs<String, String>, String, Int)] {
        try await server.send("DELETE", Self.parks, headers).expectProblem(kind, status)
      }
      let dropped = try await server.send(
        "DELETE", "\(Self.parks)?author=eva", ["If-Match": "\"\(new)\""])
      dropped.expect(status: 200)
      #expect(try dropped.json["cursor"]?.text == "\(new)")
      #expect(try dropped.json["author"]?.text == "eva")
      for rest in [
        "", "/versions", "/versions/1", "/delta?since=\(old)", "/items/a", "/items/a/history",
        "/items/a/places", "/items?item=a", "/bundle", "/tags", "/prunings", "/events",
      ] {
        let answer = try await server.get("\(Self.parks)\(rest)")
        try answer.expectProblem("gone", 410)
        #expect(try answer.json["head"]?.text == "\(new)")
      }
      for (method, target, header) in [
        ("PUT", Self.parks, "If-Match"), ("PUT", Self.parks, "If-None-Match"),
        ("PATCH", Self.parks, "If-Match"), ("PUT", "\(Self.parks)/items/a", "If-Match"),
        ("DELETE", Self.parks, "If-Match"),
      ] {
        let answer = try await server.send(method, target, [header: "*"], body: "[]".utf8)
        try answer.expectProblem("gone", 410)
      }
      #expect(try await server.get("/v1/lists").json["lists"]?.elements == [])
      try await server.get("/v1/lists/rocks").expectProblem("not-found", 404)
    }
  }

  @Test(arguments: Transport.allCases)
  func waitingRequestIsToldThatItsListIsGone(_ transport: Transport) async throws {
    try await TestServer.run(transport, clock: ManualClock()) { server in
      let cursor = try await server.commit("a")
      async let answer = server.get("\(Self.parks)/delta?since=\(cursor)&wait=60")
      try await eventually("somebody waits") { server.headCache.watcherCount == 1 }
      _ = try await server.test.service.drop(DepartureRequest(list: .parks))
      try await server.headCache.refresh()
      try await answer.expectProblem("gone", 410)
    }
  }

  @Test(arguments: Transport.allCases)
  func newNameOfAListIsShownToWhoMayReadIt(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await server.commit("a")
      let renamed = try #require(ListName("national-parks"))
      _ = try await server.test.service.rename(DepartureRequest(list: .parks), to: renamed)
      try await server.headCache.refresh()
      let answer = try await server.get(Self.parks)
      try answer.expectProblem("gone", 410)
      #expect(try answer.json["new_name"]?.text == "national-parks")
      for (name, pattern, shown) in [("old", "parks", nil), ("both", "*", "national-parks")] {
        let made = try await server.test.service.makeToken(
          named: #require(TokenName(name)),
          grants: [AccessGrant(.read, #require(ListPattern(pattern)))])
        try await server.headCache.refresh()
        let answer = try await server.get(
          Self.parks, ["Authorization": "Bearer \(made.secret.text)"])
        try answer.expectProblem("gone", 410)
        #expect(try answer.json["new_name"]?.text == shown)
        #expect(answer.text.contains("national") == (shown != nil))
      }
    }
  }
}
