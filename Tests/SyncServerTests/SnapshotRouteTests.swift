import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncServer

@Suite struct SnapshotRouteTests {
  @Test(arguments: Transport.allCases)
  func headHasItsCursorAsTheTagAndNamesItsPermanentAddress(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let cursor = try await server.commit("a", "b=1")
      let answer = try await server.get("/v1/lists/parks")
      #expect(answer.status == 200)
      #expect(answer["Content-Type"] == "application/json")
      #expect(answer["ETag"] == "\"\(cursor)\"")
      #expect(answer["Cache-Control"] == "public, no-cache")
      #expect(answer["Content-Location"] == "/v1/lists/parks/versions/\(cursor)")
      #expect(answer.text == "[\n{\"id\":\"a\",\"value\":0},\n{\"id\":\"b\",\"value\":1}\n]\n")
      let pinned = try await server.get(try #require(answer["Content-Location"]))
      #expect(pinned.body == answer.body)
      #expect(pinned["Cache-Control"] == "public, max-age=31536000, immutable")
    }
  }

  @Test(arguments: Transport.allCases)
  func emptyElementsOfAConditionAreIgnored(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let cursor = try await server.commit("a")
      for condition in ["\"\(cursor)\",", ", \"x\",, \"\(cursor)\"", "\"\(cursor)\""] {
        let answer = try await server.get("/v1/lists/parks", ["If-None-Match": condition])
        #expect(answer.status == 304, "\(condition)")
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func everyNameFindsItsVersionAndOnlyTheCursorIsImmutable(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let cursor = try await server.commit("a")
      _ = try await server.test.service.tag(try #require(TagName("spring")), of: .parks)
      let newest = try await server.commit("a", "b")
      let names = ["1", "head~1", "spring", "\(cursor)"]
      for name in names {
        let answer = try await server.get("/v1/lists/parks/versions/\(name)")
        #expect(answer.status == 200, "\(name)")
        #expect(answer["ETag"] == "\"\(cursor)\"", "\(name)")
        let isImmutable = answer["Cache-Control"]?.hasSuffix("immutable") ?? false
        #expect(isImmutable == (name == "\(cursor)"), "\(name)")
      }
      for name in ["head", "2", "2026-11-21", "2026-11-21T12:00:00Z"] {
        let answer = try await server.get("/v1/lists/parks/versions/\(name)")
        #expect(answer["ETag"] == "\"\(newest)\"", "\(name)")
      }
      let empty = try await server.get("/v1/lists/parks/versions/0")
      #expect(empty.text == "[]\n")
      #expect(empty["ETag"] == "\"0-00000000000000000000000000000000\"")
    }
  }

  @Test(arguments: Transport.allCases)
  func nameOfNoVersionIsRefusedByName(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await server.commit("a")
      for (name, kind, status) in [
        ("2", "no-such-version", 404), ("head~2", "no-such-version", 404),
        ("9223372036854775807", "no-such-version", 404), ("4294967297", "no-such-version", 404),
        ("nobody", "no-such-version", 404), ("1999-01-01", "no-such-version", 404),
        ("2-00000000000000000000000000000000", "diverged", 409),
        ("1-00000000000000000000000000000000", "diverged", 409),
        ("9223372036854775808", "invalid-request", 400), ("-1", "invalid-request", 400),
        ("%00", "invalid-request", 400), ("%zz", "invalid-request", 400),
        ("%ff", "invalid-request", 400), ("1%2F2", "invalid-request", 400),
      ] {
        let answer = try await server.get("/v1/lists/parks/versions/\(name)")
        try answer.expectProblem(kind, status)
      }
      try await server.get("/v1/lists/rivers").expectProblem("not-found", 404)
      try await server.get("/v1/lists/-x").expectProblem("not-found", 404)
      try await server.get("/v1/lists/parks%2F..").expectProblem("not-found", 404)
      try await server.get("/v1/list").expectProblem("not-found", 404)
      try await server.get("/").expectProblem("not-found", 404)
    }
  }

  @Test(arguments: Transport.allCases)
  func listWithoutACommittedItemIsAtVersionZero(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let made = try await server.put("/v1/lists/parks", ["If-None-Match": "*"], "[]")
      #expect(made.status == 200)
      #expect(try made.json["outcome"]?.text == "unchanged")
      let answer = try await server.get("/v1/lists/parks")
      #expect(answer.text == "[]\n")
      #expect(answer["ETag"] == "\"0-00000000000000000000000000000000\"")
      #expect(try await server.get("/v1/lists/parks/versions").json == .array([]))
      let delta = try await server.get("/v1/lists/parks/delta?since=0")
      #expect(delta.status == 200)
      #expect(try delta.json.at("to", "version")?.number == 0)
      let bundle = try await server.get("/v1/lists/parks/bundle")
      #expect(bundle.status == 200)
      let again = try await server.put("/v1/lists/parks", ["If-None-Match": "*"], "[]")
      #expect(again.status == 200, "version 0 is expected, and the list is at it")
      #expect(try again.json["outcome"]?.text == "unchanged")
      let first = try await server.put("/v1/lists/parks", ["If-None-Match": "*"], #"[{"id":"a"}]"#)
      #expect(first.status == 201)
      let late = try await server.put("/v1/lists/parks", ["If-None-Match": "*"], "[]")
      try late.expectProblem("precondition-failed", 412)
    }
  }

  @Test(arguments: Transport.allCases)
  func headNamesTheIDRuleAsTheParametersOfPUT(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let path = "/v1/lists/parks"
      let body = #"[{"a":"x"}]"#
      try await server.put("\(path)?id=a", ["If-None-Match": "*"], body).expect(status: 201)
      let answer = try await server.get(path)
      #expect(answer["List-Id-Rule"] == "id=a")
      // The next commit changes the rule alone.
      let rule = "id=a%7Cc"
      try await server.put("\(path)?\(rule)", ["If-Match": "*"], body).expect(status: 200)
      let tag = try #require(answer["ETag"])
      for headers in [[:], ["If-None-Match": tag]] as [KeyValuePairs] {
        #expect(try await server.get(path, headers)["List-Id-Rule"] == rule, "\(headers)")
      }
      try await server.put("/v1/lists/rivers", ["If-None-Match": "*"], "[]").expect(status: 200)
      #expect(try await server.get("/v1/lists/rivers")["List-Id-Rule"] == "id=id")
    }
  }
}
