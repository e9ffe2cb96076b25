import ListDocuments
import ListModel
import TestSupport
import Testing

@testable import SyncServer

/// `PUT` and `PATCH` with the version that the list was made from.
@Suite struct MergedCommitRouteTests {
  private static let parks = "/v1/lists/parks"

  @Test(arguments: Transport.allCases)
  func putOnAnOlderVersionIsMergedOnce(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let base = try await server.commit("a", "b")
      let theirs = try await server.commit("a", "b", "x")
      let target = "\(Self.parks)?base=\(base)&author=ann"
      let body = #"[{"id":"b"},{"id":"a"},{"id":"y"}]"#
      let made = try await server.put(target, [:], body)
      made.expect(status: 201)
      #expect(try made.json["outcome"]?.text == "merged")
      let cursor = try #require(try made.json.at("head", "cursor")?.text)
      #expect(made["Location"] == "\(Self.parks)/versions/\(cursor)")
      #expect(made["ETag"] == nil, "the caller does not have this list")
      #expect(try made.json.at("merge", "base")?.text == base.description)
      #expect(try made.json.at("merge", "into")?.text == theirs.description)
      let ids = try await server.get(Self.parks).json.elements?.compactMap { $0["id"]?.text }
      #expect(ids == ["b", "x", "a", "y"])
      _ = try await server.commit("b")
      let again = try await server.put(target, [:], body)
      again.expect(status: 200)
      #expect(try again.json["outcome"]?.text == "repeated")
      #expect(try again.json["head"] == made.json["head"])
      #expect(try await server.get("\(Self.parks)/versions").json.elements?.count == 4)
    }
  }

  @Test(arguments: Transport.allCases)
  func conflictsAreAProblemWithAllOfThem(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let base = try await server.commit("a", "b")
      _ = try await server.put(
        Self.parks, ["If-Match": "\"\(base)\""], #"[{"id":"a","value":1},{"id":"b","value":0}]"#)
      let body = #"[{"id":"a","value":2},{"id":"c"}]"#
      let refused = try await server.put("\(Self.parks)?base=\(base)", [:], body)
      try refused.expectProblem("conflicts", 409)
      #expect(try refused.json["conflict_count"]?.number == 1)
      let conflict = try #require(try refused.json["conflicts"]?.elements?.first)
      #expect(conflict["id"]?.text == "a")
      #expect(conflict["path"]?.text == "/value")
      #expect(conflict["mine"]?.number == 2)
      #expect(conflict["theirs"]?.number == 1)
      #expect(try await server.get("\(Self.parks)/versions").json.elements?.count == 2)
      let decided = try await server.put("\(Self.parks)?base=\(base)&prefer=mine", [:], body)
      decided.expect(status: 201)
      #expect(try decided.json.at("merge", "preferred")?.text == "mine")
    }
  }

  @Test func longConflictsStayWithinTheBytesThatClientsRead() async throws {
    try await TestServer.run(.inProcess) { server in
      func list(_ fill: String) -> String {
        let text = String(repeating: fill, count: 2000)
        let items = (0..<100).map { #"{"id":"i\#($0)","text":"\#(text)"}"# }
        return "[\(items.joined(separator: ","))]"
      }
      let made = try await server.put(Self.parks, ["If-None-Match": "*"], list("a"))
      let base = try #require(made["ETag"])
      _ = try await server.put(Self.parks, ["If-Match": base], list("b"))
      let cursor = base.replacing("\"", with: "")
      let refused = try await server.put("\(Self.parks)?base=\(cursor)", [:], list("c"))
      try refused.expectProblem("conflicts", 409)
      #expect(try refused.json["conflict_count"]?.number == 100)
      #expect(try refused.json["conflicts"]?.elements?.count == 6)
      #expect(refused.text.utf8.count < 64 << 10)
    }
  }

  @Test(
    arguments: [
      ("?prefer=mine", nil), ("?base=1&prefer=ours", nil), ("?base=head", nil),
      ("?base=1", "If-Match"), ("?base=1", "If-None-Match"),
    ] as [(String, String?)])
  func parametersThatContradictEachOtherAreInvalid(_ query: String, _ header: String?) async throws
  {
    try await TestServer.run(.inProcess) { server in
      _ = try await server.commit("a")
      let target = Self.parks + query
      let answer =
        if let header {
          try await server.put(target, [header: "*"], "[]")
        } else {
          try await server.put(target, [:], "[]")
        }
      try answer.expectProblem("invalid-request", 400)
    }
  }

  @Test func baseOfAnotherHistoryIsDiverged() async throws {
    try await TestServer.run(.inProcess) { server in
      _ = try await server.commit("a")
      let other = "1-00000000000000000000000000000000"
      let answer = try await server.put("\(Self.parks)?base=\(other)", [:], "[]")
      try answer.expectProblem("diverged", 409)
    }
  }
}
