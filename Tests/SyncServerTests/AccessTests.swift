import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncServer

@Suite struct AccessTests {
  /// Makes a token, and returns the header for it. The cache has not read the token yet.
  private func token(
    _ name: String, _ grants: [AccessGrant], on server: TestServer
  ) async throws -> KeyValuePairs<String, String> {
    let made = try await server.test.service.makeToken(
      named: #require(TokenName(name)), grants: grants)
    return ["Authorization": "Bearer \(made.secret.text)"]
  }

  private func pattern(_ text: String) throws -> ListPattern { try #require(ListPattern(text)) }

  @Test(arguments: Transport.allCases)
  func unreadableListIsAnsweredLikeAMissingOne(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await server.commit("a")
      let bearer = try await token("app", [AccessGrant(.read, pattern("team-*"))], on: server)
      for rest in [
        "", "/versions", "/versions/1", "/versions/9", "/delta?since=1", "/delta?since=9",
        "/items/a", "/items/x", "/items/a/history", "/items/x/history",
        "/items/a/places", "/places?item=x", "/items?item=a", "/bundle", "/tags", "/prunings",
        "/events",
      ] {
        let hidden = try await server.get("/v1/lists/parks\(rest)", bearer)
        let absent = try await server.get("/v1/lists/rocks\(rest)", bearer)
        try hidden.expectProblem("not-found", 404)
        try absent.expectProblem("not-found", 404)
        let hiddenText = hidden.text.replacing("parks", with: "rocks")
        #expect(
          hiddenText.replacing(try #require(hidden["X-Request-Id"]), with: "")
            == absent.text.replacing(try #require(absent["X-Request-Id"]), with: ""))
      }
      let lists = try await server.get("/v1/lists", bearer)
      #expect(try lists.json["lists"]?.elements == [])
    }
  }

  @Test(arguments: Transport.allCases)
  func tokenReadsAndWritesOnlyTheListsOfItsGrants(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await server.commit("a")
      let reader = try await token("reader", [AccessGrant(.read, pattern("parks"))], on: server)
      let writer = try await token("writer", [AccessGrant(.write, pattern("p*"))], on: server)
      let read = try await server.get("/v1/lists/parks", reader)
      read.expect(status: 200)
      #expect(read["Cache-Control"] == "private, no-cache")
      #expect(read["Vary"] == "Accept-Encoding, Authorization")
      let secret = try #require(reader.first?.value)
      try await server.put(
        "/v1/lists/parks", ["If-Match": "*", "Authorization": secret], "[]"
      ).expectProblem("forbidden", 403)
      try await server.put(
        "/v1/lists/other", ["If-None-Match": "*", "Authorization": secret], "[]"
      ).expectProblem("not-found", 404)
      let made = try await server.put(
        "/v1/lists/parks", ["If-Match": "*", "Authorization": try #require(writer.first?.value)],
        "[]")
      made.expect(status: 201)
      let log = try await server.get("/v1/lists/parks/versions", writer).json.elements
      #expect(log?.first?["author"]?.text == "writer")
      for target in ["/healthz", "/readyz", "/metrics", "/openapi.json"] {
        try await server.get(target).expect(status: 200)
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func missingWrongOrRevokedTokenGetsNoData(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await server.commit("a")
      let bearer = try await token("app", [AccessGrant(.write, pattern("*"))], on: server)
      let secret = try #require(bearer.first?.value)
      try await server.get("/v1/lists", ["Authorization": "bearer \(secret.dropFirst(7))"])
        .expect(status: 200)
      for value in [
        nil, "", "Bearer", "Bearer ", "Bearer x", "Basic \(secret.dropFirst(7))", "\(secret)x",
        String(secret.dropLast()), String(secret.dropFirst(7)), "\(secret), \(secret)",
      ] as [String?] {
        for target in ["/v1/lists", "/v1/lists/parks", "/v1/lists/none", "/v1/events"] {
          let request = ClientRequest(
            method: "GET", target: target,
            headers: value.map { [Header("Authorization", $0)] } ?? [])
          let answer = try await server.send(request)
          try answer.expectProblem("unauthenticated", 401)
          #expect(answer["WWW-Authenticate"] == "Bearer realm=\"listsync\"")
        }
      }
      try await server.test.service.revokeToken(named: #require(TokenName("app")))
      try await server.headCache.refresh()
      try await server.get("/v1/lists", bearer).expectProblem("unauthenticated", 401)
    }
  }

  @Test(arguments: Transport.allCases)
  func waitingRequestGetsNoNewsAfterItsTokenIsRevoked(_ transport: Transport) async throws {
    try await TestServer.run(transport, clock: ManualClock()) { server in
      try await server.commit("a")
      let bearer = try await token("app", [AccessGrant(.read, .all)], on: server)
      async let answer = server.get("/v1/lists/parks/delta?since=head&wait=30", bearer)
      try await eventually("somebody waits") { server.headCache.watcherCount == 1 }
      try await server.test.service.revokeToken(named: try #require(TokenName("app")))
      try await server.commit("b")
      try await answer.expectProblem("unauthenticated", 401)
    }
  }
}
