import ListDocuments
import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncServer

@Suite struct ItemRouteTests {
  private static let items = "/v1/lists/parks/items"

  private func ids(_ server: TestServer) async throws -> [String?] {
    try await server.get("/v1/lists/parks").json.elements?.map { $0["id"]?.text } ?? []
  }

  @Test(arguments: Transport.allCases)
  func itemIsReadWithTheTagOfItsList(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let cursor = try await server.commit("a", "b=7")
      let answer = try await server.get("\(Self.items)/b")
      answer.expect(status: 200)
      #expect(answer.text == "{\"id\":\"b\",\"value\":7}\n")
      #expect(answer["ETag"] == "\"\(cursor)\"")
      #expect(answer["Cache-Control"] == "public, no-cache")
      let known = try await server.get("\(Self.items)/b", ["If-None-Match": "\"\(cursor)\""])
      known.expect(status: 304)
      try await server.get("\(Self.items)/c").expectProblem("no-such-item", 404)
      try await server.get("/v1/lists/rivers/items/b").expectProblem("not-found", 404)
      try await server.commit("a")
      try await server.get("\(Self.items)/b").expectProblem("no-such-item", 404)
    }
  }

  @Test(arguments: Transport.allCases)
  func itemIsReadAtAVersion(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let cursors = [
        try await server.commit("a", "b=7"), try await server.commit("b=8"),
        try await server.commit("c"),
      ]
      for (at, value, cursor) in [("1", 7, cursors[0]), ("head~1", 8, cursors[1])] {
        let answer = try await server.get("\(Self.items)/b?at=\(at)")
        answer.expect(status: 200)
        #expect(answer.text == "{\"id\":\"b\",\"value\":\(value)}\n")
        #expect(answer["ETag"] == "\"\(cursor)\"")
        #expect(answer["Cache-Control"] == "public, no-cache")
      }
      let pinned = try await server.get("\(Self.items)/b?at=\(cursors[0])")
      #expect(pinned["Cache-Control"]?.contains("immutable") == true)
      _ = try await server.test.service.prune(
        PruneRequest(list: .parks, rule: try #require(RetentionRule(keepLast: 2))))
      for (target, kind, status) in [
        ("a?at=2", "no-such-item", 404), ("b?at=3", "no-such-item", 404),
        ("b?at=0", "no-such-item", 404), ("b?at=4", "no-such-version", 404),
        ("b?at=spring", "no-such-version", 404), ("b?at=1", "too-old", 410),
        ("b?at=2-00000000000000000000000000000000", "diverged", 409),
        ("b?at=-1", "invalid-request", 400),
      ] {
        try await server.get("\(Self.items)/\(target)").expectProblem(kind, status)
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func itemIsPutChangedMovedAndRemovedUnderTheTagOfItsList(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      var tag = "\"\(try await server.commit("a", "b", "c"))\""
      for (query, body, status, expected) in [
        ("", #"{"id":"x"}"#, 201, ["a", "b", "c", "x"]),
        ("", #"{"id":"x","n":1}"#, 200, ["a", "b", "c", "x"]),
        ("?after=a&author=eva&message=Why", #"{"id":"x","n":1}"#, 200, ["a", "x", "b", "c"]),
        ("?before=a", #"{"id":"x","n":1}"#, 200, ["x", "a", "b", "c"]),
        ("?to=2", #"{"id":"x","n":2}"#, 200, ["a", "b", "x", "c"]),
        ("?first=true", "{\n \"id\": \"x\"\n}\n", 200, ["x", "a", "b", "c"]),
        ("?last=true", #"{"id":"x"}"#, 200, ["a", "b", "c", "x"]),
      ] {
        let answer = try await server.put("\(Self.items)/x\(query)", ["If-Match": tag], body)
        answer.expect(status: status)
        #expect(try answer.json["outcome"]?.text == "committed")
        #expect(answer["Cache-Control"] == "no-store")
        #expect((answer["Location"] != nil) == (status == 201))
        #expect(try await ids(server) == expected, "\(query)")
        // The answer was lost, and the request is sent again.
        let again = try await server.put("\(Self.items)/x\(query)", ["If-Match": tag], body)
        again.expect(status: 200)
        #expect(try again.json["outcome"]?.text == "repeated")
        tag = try #require(answer["ETag"])
        #expect(again["ETag"] == tag)
      }
      let log = try await server.get("/v1/lists/parks/versions").json.elements ?? []
      #expect(log.contains { $0["author"]?.text == "eva" && $0["message"]?.text == "Why" })
      let removed = try await server.send("DELETE", "\(Self.items)/b", ["If-Match": tag])
      removed.expect(status: 200)
      #expect(try removed.json["outcome"]?.text == "committed")
      #expect(try await ids(server) == ["a", "c", "x"])
      let late = try await server.send("DELETE", "\(Self.items)/a", ["If-Match": tag])
      try late.expectProblem("precondition-failed", 412)
      let gone = try await server.send("DELETE", "\(Self.items)/b", ["If-Match": "*"])
      try gone.expectProblem("no-such-item", 404)
    }
  }

  @Test(arguments: Transport.allCases)
  func itemIsNotChangedWithoutAConditionOrWithAFalseOne(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let old = try await server.commit("a")
      try await server.commit("a", "b")
      for method in ["PUT", "DELETE"] {
        for (name, value, kind, status) in [
          ("If-Match", "\"\(old)\"", "precondition-failed", 412),
          ("If-None-Match", "*", "invalid-request", 400), ("X", "y", "precondition-required", 428),
        ] {
          let answer = try await server.send(
            method, "\(Self.items)/a", [name: value], body: #"{"id":"a","n":9}"#.utf8)
          try answer.expectProblem(kind, status)
        }
      }
      for (target, body, kind, status) in [
        ("a", #"{"id":"b"}"#, "unprocessable", 422), ("a", "{}", "unprocessable", 422),
        ("a", "", "unprocessable", 422), ("a", "{", "unprocessable", 422),
        ("a", "{\"id\":\"a\"}\n{\"id\":\"b\"}", "unprocessable", 422),
        ("a?to=9", #"{"id":"a"}"#, "unprocessable", 422),
        ("a?after=x", #"{"id":"a"}"#, "no-such-item", 404),
        ("a?after=b&first=true", #"{"id":"a"}"#, "invalid-request", 400),
        ("a?to=-1", #"{"id":"a"}"#, "invalid-request", 400),
        ("a%zz", #"{"id":"a"}"#, "invalid-request", 400),
      ] {
        let answer = try await server.put("\(Self.items)/\(target)", ["If-Match": "*"], body)
        try answer.expectProblem(kind, status)
      }
      let typed = try await server.put(
        "\(Self.items)/a", ["If-Match": "*", "Content-Type": "text/csv"], "id\na\n")
      try typed.expectProblem("unsupported-media-type", 415)
      #expect(try await server.get("/v1/lists/parks/versions").json.elements?.count == 2)
    }
  }

  @Test(arguments: Transport.allCases)
  func itemIsNamedByTheBytesOfItsID(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let body = #"[{"a":"x/ y","b":"\u00e9"}]"#
      try await server.put(
        "/v1/lists/parks?id=a&id=b", ["If-None-Match": "*"], body
      ).expect(status: 201)
      let target = "\(Self.items)/x%2F%20y%1F%C3%A9"
      let put = try await server.put(target, ["If-Match": "*"], #"{"a":"x/ y","b":"é","n":1}"#)
      put.expect(status: 200)
      #expect(try await server.get(target).json["n"]?.number == 1)
      try await server.get("\(Self.items)/x%2F%20y%1Fe%CC%81").expectProblem("no-such-item", 404)
      try await server.put(
        "/v1/lists/words?id=.", ["If-None-Match": "*"], #"["one"]"#
      ).expect(status: 201)
      let word = try await server.put(
        "/v1/lists/words/items/two?first=true", ["If-Match": "*"], #""two""#)
      word.expect(status: 201)
      #expect(try await server.get("/v1/lists/words").text.contains(#""two""#))
    }
  }

  /// A client or a proxy that normalises the path of `a%2F..%2Fb` would send `b`.
  @Test(arguments: Transport.allCases)
  func itemOfAnyIDIsReachedByTheQuery(_ transport: Transport) async throws {
    let ids = [".", "..", "a/../b", "/", "%", "%2F", "a b", "+", "é", "x&y=z", "b"]
    try await TestServer.run(transport) { server in
      try await server.commit("b")
      for id in ids {
        let target = "\(Self.items)?item=\(PercentEncoding.encode(id))"
        let body = #"{"id":"\#(id)","n":7}"#
        let put = try await server.put("\(target)&first=true", ["If-Match": "*"], body)
        put.expect(status: id == "b" ? 200 : 201)
        let answer = try await server.get(target)
        answer.expect(status: 200)
        #expect(answer.text == body + "\n")
        let pinned = try await server.get("\(target)&at=\(try #require(put.tagCursor))")
        #expect(pinned.body == answer.body)
        #expect(pinned["Cache-Control"]?.contains("immutable") == true)
      }
      #expect(try await self.ids(server) == ids.reversed())
      for id in ids {
        let target = "\(Self.items)?item=\(PercentEncoding.encode(id))"
        try await server.send("DELETE", target, ["If-Match": "*"]).expect(status: 200)
        try await server.get(target).expectProblem("no-such-item", 404)
      }
      for target in [Self.items, "\(Self.items)?item=", "\(Self.items)/a?item=b"] {
        for method in ["GET", "PUT", "DELETE"] {
          try await server.send(method, target, ["If-Match": "*"]).expectProblem(
            "invalid-request", 400)
        }
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func patchMayLeaveOutTheRootThatItLeadsTo(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let cursor = try await server.commit("a", "b")
      let state = try await server.test.service.snapshot(of: .parks).state
      let start =
        #"{"format":"list-delta/1","kind":"changes","from":{"cursor":"\#(cursor)","#
        + #""count":2,"root":"\#(state.root)"},"#
      let changes =
        #""removed":[{"id":"a","from":0}],"moved":[],"#
        + #""inserted":[{"id":"c","to":1,"content":{"id":"c"}}],"updated":[]}"#
      for (to, kind, status) in [
        (#""to":{"count":3},"#, "unprocessable", 422),
        (#""to":{"root":"00000000000000000000000000000000"},"#, "unprocessable", 422),
        (
          #""to":{"count":2,"root":"00000000000000000000000000000000"},"#, "unprocessable", 422
        ),
      ] {
        let answer = try await server.send(
          "PATCH", "/v1/lists/parks", ["If-Match": "*"], body: (start + to + changes).utf8)
        try answer.expectProblem(kind, status)
      }
      let body = (start + changes).utf8
      try await server.send("PATCH", "/v1/lists/parks", body: body)
        .expectProblem("precondition-required", 428)
      let tag = "\"\(cursor)\""
      let made = try await server.send("PATCH", "/v1/lists/parks", ["If-Match": tag], body: body)
      made.expect(status: 201)
      #expect(try await ids(server) == ["b", "c"])
      let again = try await server.send("PATCH", "/v1/lists/parks", ["If-Match": tag], body: body)
      again.expect(status: 200)
      #expect(again["ETag"] == made["ETag"])
    }
  }

  @Test(arguments: Transport.allCases)
  func itemsFollowTheRightsOfTheirList(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await server.commit("a")
      func bearer(_ name: String, _ right: AccessRight) async throws -> String {
        let made = try await server.test.service.makeToken(
          named: #require(TokenName(name)),
          grants: [AccessGrant(right, #require(ListPattern("parks")))])
        return "Bearer \(made.secret.text)"
      }
      let (reader, writer) = (try await bearer("reader", .read), try await bearer("writer", .write))
      try await server.headCache.refresh()
      try await server.get("\(Self.items)/a").expectProblem("unauthenticated", 401)
      try await server.get("\(Self.items)/a", ["Authorization": reader]).expect(status: 200)
      for method in ["PUT", "DELETE"] {
        let body = #"{"id":"a","n":1}"#.utf8
        try await server.send(
          method, "\(Self.items)/a", ["If-Match": "*", "Authorization": reader], body: body
        ).expectProblem("forbidden", 403)
        try await server.send(
          method, "\(Self.items)/a", ["If-Match": "*", "Authorization": writer], body: body
        ).expect(status: 200)
      }
    }
  }
}
