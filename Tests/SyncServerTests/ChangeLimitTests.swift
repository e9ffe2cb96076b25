import ListModel
import SyncService
import TestSupport
import Testing

@testable import SyncServer

/// The parameters `max-removed`, `force-removed`, `max-updated` and `force-updated`.
@Suite struct ChangeLimitTests {
  private static let parks = "/v1/lists/parks"
  private static let anyHead: KeyValuePairs = ["If-Match": "*"]

  private func remembered(_ server: TestServer) async throws -> String? {
    try await server.get("/v1/lists").json["lists"]?.elements?.first?["max_removed"]?.text
  }

  @Test(arguments: Transport.allCases)
  func snapshotThatRemovesTooManyItemsIsRefusedWithItsCounts(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await server.commit("a", "b", "c", "d", "e")
      let two = #"[{"id":"a"},{"id":"b"}]"#
      let refused = try await server.put("\(Self.parks)?max-removed=50%25", Self.anyHead, two)
      try refused.expectProblem("removes-too-many", 422)
      let problem = try refused.json
      #expect(problem["removed"]?.number == 3)
      #expect(problem["count"]?.number == 5)
      #expect(problem["highest"]?.number == 2)
      #expect(problem["max_removed"]?.text == "50%")
      #expect(
        problem["detail"]?.text == """
          parks: 3 of 5 items would be removed, and at most 50 % (2) may be: if that is right, \
          send the request again with force-removed=true
          """)
      #expect(try await remembered(server) == nil)
      let forced = try await server.put(
        "\(Self.parks)?max-removed=50%25&force-removed=true", Self.anyHead, two)
      #expect(forced.status == 201)
    }
  }

  @Test(arguments: Transport.allCases)
  func limitIsRememberedForSnapshotsAndDeltasButNotForSingleItems(
    _ transport: Transport
  ) async throws {
    try await TestServer.run(transport) { server in
      try await server.commit("a")
      let grown = try await server.put(
        "\(Self.parks)?max-removed=0", Self.anyHead, #"[{"id":"a"},{"id":"b"}]"#)
      #expect(grown.status == 201)
      #expect(try await remembered(server) == "0")
      try await server.put(Self.parks, Self.anyHead, "[]").expectProblem("removes-too-many", 422)
      let back = try await server.get("\(Self.parks)/delta?since=2&to=1")
      let patched = try await server.send("PATCH", Self.parks, Self.anyHead, body: back.body)
      try patched.expectProblem("removes-too-many", 422)
      let item = try await server.send("DELETE", "\(Self.parks)/items/b", Self.anyHead)
      #expect(item.status == 200)
      let forgotten = try await server.put("\(Self.parks)?max-removed=none", Self.anyHead, "[]")
      #expect(forgotten.status == 201)
      #expect(try await remembered(server) == nil)
    }
  }

  @Test(arguments: Transport.allCases)
  func snapshotThatUpdatesTooManyItemsIsRefusedWithItsCounts(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let list = { (value: Int) in #"[{"id":"a","n":\#(value)},{"id":"b","n":\#(value)}]"# }
      let first = try await server.put(
        "\(Self.parks)?max-updated=50%25", ["If-None-Match": "*"], list(1))
      #expect(first.status == 201)
      let refused = try await server.put(Self.parks, Self.anyHead, list(2))
      try refused.expectProblem("updates-too-many", 422)
      let problem = try refused.json
      #expect(problem["updated"]?.number == 2 && problem["count"]?.number == 2)
      #expect(problem["highest"]?.number == 1 && problem["max_updated"]?.text == "50%")
      #expect(problem["removed"] == nil)
      #expect(problem["detail"]?.text?.hasSuffix("again with force-updated=true") == true)
      let forced = try await server.put(
        "\(Self.parks)?force-updated=true&max-removed=0", Self.anyHead, list(2))
      #expect(forced.status == 201)
      let summary = try await server.get("/v1/lists").json["lists"]?.elements?.first
      #expect(summary?["max_updated"]?.text == "50%" && summary?["max_removed"]?.text == "0")
    }
  }

  @Test(arguments: Transport.allCases)
  func parametersThatAreNoLimitAreRefused(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await server.commit("a")
      for query in [
        "max-removed=many", "max-removed=20%25%25", "max-removed=", "force-removed=1",
        "max-updated=-1", "force-updated=yes",
      ] {
        let answer = try await server.put("\(Self.parks)?\(query)", Self.anyHead, "[]")
        try answer.expectProblem("invalid-request", 400)
      }
      let item = try await server.send(
        "DELETE", "\(Self.parks)/items/a?force-removed=true", Self.anyHead)
      try item.expectProblem("invalid-request", 400)
    }
  }
}
