import Gzip
import ListDocuments
import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncServer

@Suite struct CommitRouteTests {
  private static let parks = "/v1/lists/parks"
  private static let some = #"[{"id":"a"},{"id":"b"}]"#

  /// Of nginx with gzip, of Varnish, and of Apache's mod_deflate.
  @Test(arguments: Transport.allCases)
  func tagThatAProxyHasChangedIsRefusedWithTheTagToSend(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let cursor = try await server.commit("a")
      for tag in [
        "W/\"\(cursor)\"", "W/\"\(cursor)+gzip\"", "\"\(cursor)-gzip\"", "\"\(cursor);br\"",
      ] {
        for target in [Self.parks, "\(Self.parks)/items/a"] {
          let answer = try await server.send("DELETE", target, ["If-Match": tag])
          try answer.expectProblem("precondition-failed", 412)
          let detail = try #require(try answer.json["detail"]?.text)
          #expect(detail.hasSuffix("send If-Match: \"\(cursor)\""), "\(detail)")
          #expect(detail.contains("proxy"), "\(detail)")
        }
      }
      let other = try await server.send("DELETE", Self.parks, ["If-Match": "\"x\""])
      #expect(try other.json["detail"]?.text?.contains("proxy") == false)
    }
  }

  @Test(arguments: Transport.allCases)
  func putCreatesUpdatesOrKeepsAListUnderACursorCondition(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let made = try await server.put(
        "\(Self.parks)?author=eva&message=first%20one", ["If-None-Match": "*"], Self.some)
      #expect(made.status == 201)
      #expect(made["Cache-Control"] == "no-store")
      let tag = try #require(made["ETag"])
      let cursor = try #require(try made.json.at("head", "cursor")?.text)
      #expect(tag == "\"\(cursor)\"")
      #expect(made["Location"] == "\(Self.parks)/versions/\(cursor)")
      #expect(try made.json["outcome"]?.text == "committed")
      #expect(try made.json["list"]?.text == "parks")
      let log = try await server.get("\(Self.parks)/versions").json.elements
      #expect(log?.first?["author"]?.text == "eva")
      #expect(log?.first?["message"]?.text == "first one")

      let same = try await server.put(Self.parks, ["If-Match": tag], Self.some)
      #expect(same.status == 200)
      #expect(try same.json["outcome"]?.text == "unchanged")
      #expect(same["ETag"] == tag)
      #expect(same["Location"] == nil)

      let changed = try await server.put(Self.parks, ["If-Match": tag], #"[{"id":"b"}]"#)
      #expect(changed.status == 201)
      #expect(try await server.get(Self.parks)["ETag"] == changed["ETag"])
    }
  }

  @Test(arguments: Transport.allCases)
  func commitResentAfterALostAnswerMakesOneVersion(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let first = try await server.put(Self.parks, ["If-None-Match": "*"], Self.some)
      let again = try await server.put(Self.parks, ["If-None-Match": "*"], Self.some)
      #expect(again.status == 200)
      #expect(again["ETag"] == first["ETag"])
      let tag = try #require(first["ETag"])
      let second = try await server.put(Self.parks, ["If-Match": tag], "[]")
      #expect(second.status == 201)
      let repeated = try await server.put(Self.parks, ["If-Match": tag], "[]")
      #expect(repeated.status == 200)
      #expect(repeated["ETag"] == second["ETag"])
      let late = try await server.put(Self.parks, ["If-Match": tag], Self.some)
      try late.expectProblem("precondition-failed", 412)
      #expect(try await server.get("\(Self.parks)/versions").json.elements?.count == 2)
    }
  }

  @Test(arguments: Transport.allCases)
  func commitNeedsAConditionThatNamesTheNewestVersion(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let old = try await server.commit("a")
      let new = try await server.commit("b")
      for (name, value, kind, status) in [
        ("If-Match", "\"\(old)\"", "precondition-failed", 412),
        ("If-Match", "\"3-00000000000000000000000000000000\"", "precondition-failed", 412),
        ("If-Match", "\"\(old)\", \"x\"", "precondition-failed", 412),
        ("If-Match", "W/\"\(new)\"", "precondition-failed", 412),
        ("If-Match", "\"x\"", "precondition-failed", 412),
        ("If-Match", "\(new)", "invalid-request", 400),
        ("If-Match", "", "invalid-request", 400), ("If-Match", "\"", "invalid-request", 400),
        ("If-None-Match", "*", "precondition-failed", 412),
        ("If-None-Match", "\"\(new)\"", "invalid-request", 400),
      ] {
        let answer = try await server.put(Self.parks, [name: value], Self.some)
        try answer.expectProblem(kind, status)
        if status == 412 {
          #expect(try answer.json["head"]?.text == "\(new)")
          #expect(try answer.json["oldest"]?.number == 1)
          #expect(try answer.json["snapshot"]?.text == "parks", "relative to the address")
        }
      }
      let without = try await server.put(Self.parks, [:], Self.some)
      try without.expectProblem("precondition-required", 428)
      let both = try await server.put(
        Self.parks, ["If-Match": "*", "If-None-Match": "*"], Self.some)
      try both.expectProblem("invalid-request", 400)
      let absent = try await server.put("/v1/lists/rivers", ["If-Match": "*"], Self.some)
      try absent.expectProblem("precondition-failed", 412)
      let absentToo = try await server.put(
        "/v1/lists/rivers", ["If-Match": "\"\(new)\""], Self.some)
      try absentToo.expectProblem("precondition-failed", 412)
      let lists = try await server.get("/v1/lists").json["lists"]?.elements
      #expect(lists?.compactMap { $0["list"]?.text } == ["parks"])
      #expect(try await server.get(Self.parks)["ETag"] == "\"\(new)\"")
      for (index, value) in [
        "*", "\"x\", \"TAG\"", "\"TAG+gzip\"", "\"\(old)\",\"TAG\"", "  \"TAG\"  ",
      ].enumerated() {
        let tag = try #require(try await server.get(Self.parks)["ETag"]).dropFirst().dropLast()
        let answer = try await server.put(
          Self.parks, ["If-Match": value.replacing("TAG", with: tag)], #"[{"id":"\#(index)"}]"#)
        #expect(answer.status == 201, "\(value)")
      }
    }
  }

  /// Another server of the same store may have made the list, or its newest version, a moment ago.
  @Test(arguments: Transport.allCases)
  func conditionIsComparedWithTheStoreAndNotWithAnEarlierStateOfIt(
    _ transport: Transport
  ) async throws {
    try await TestServer.run(transport) { server in
      func commitElsewhere(_ name: String, _ ids: String...) async throws -> Cursor {
        let request = CommitRequest(
          list: try #require(ListName(name)), snapshot: try Snapshot.of(ids))
        return try #require(try await server.test.service.commit(request).state.cursor)
      }
      for name in ["films", "rivers", "hills"] { _ = try await commitElsewhere(name, "a") }
      try await server.put("/v1/lists/films", ["If-Match": "*"], Self.some).expect(status: 201)
      let item = try await server.put(
        "/v1/lists/rivers/items/b", ["If-Match": "*"], #"{"id":"b"}"#)
      item.expect(status: 201)
      try await server.send("DELETE", "/v1/lists/hills", ["If-Match": "*"]).expect(status: 200)
      let newest = try await commitElsewhere("films", "a", "b", "c")
      let tags = "\"1-00000000000000000000000000000000\", \"\(newest)\""
      try await server.put("/v1/lists/films", ["If-Match": tags], "[]").expect(status: 201)
      let late = try await server.put("/v1/lists/films", ["If-Match": tags], Self.some)
      try late.expectProblem("precondition-failed", 412)
      for target in ["/v1/lists/absent", "/v1/lists/absent/items/b"] {
        let answer = try await server.send("DELETE", target, ["If-Match": "*"])
        #expect([404, 412].contains(answer.status), "\(answer.text)")
      }
      let absent = try await server.put("/v1/lists/absent", ["If-Match": "*"], Self.some)
      try absent.expectProblem("precondition-failed", 412)
      #expect(try await server.test.service.lists().count == 2)
    }
  }

  /// The request names the format, or the content shows it.
  @Test(arguments: Transport.allCases)
  func listIsReadFromJSONLinesRowsAndGzip(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let json = #"{"data":[{"id":"a","n":1},{"id":"b","n":2}]}"#
      let lines = "{\"id\":\"a\",\"n\":1}\n{\"id\":\"b\",\"n\":2}\n"
      let bodies: [(String, String?, String)] = [
        ("items=/data", "application/json", json), ("items=/data", nil, json),
        ("", "application/x-ndjson", lines), ("", "application/jsonl; charset=utf-8", lines),
        ("format=ndjson", "application/octet-stream", lines), ("", nil, lines),
      ]
      let rows: [(String, String?, String)] = [
        ("", "text/csv", "id,n\na,1\nb,2\n"),
        ("", "text/tab-separated-values", "id\tn\na\t1\nb\t2\n"),
        ("format=csv", nil, "id,n\na,1\nb,2\n"),
      ]
      for isCompressed in [false, true] {
        for (query, type, text) in bodies + rows {
          var headers = [Header("If-Match", "*")]
          if let type { headers.append(Header("Content-Type", type)) }
          if isCompressed { headers.append(Header("Content-Encoding", "gzip")) }
          try await server.commit("other")
          let answer = try await server.send(
            ClientRequest(
              method: "PUT", target: "\(Self.parks)?\(query)", headers: headers,
              body: isCompressed ? text.gzipped : Array(text.utf8)))
          #expect(answer.status == 201, "\(query) \(type ?? "-") \(answer.text)")
          let list = try await server.get(Self.parks).json.elements
          #expect(list?.compactMap { $0["id"]?.text } == ["a", "b"], "\(query) \(type ?? "-")")
        }
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func requestNamesTheIDRuleAndTheListRemembersIt(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let text = #"[{"title":"Zion","year":1919},{"title":"Zion","year":1909}]"#
      let made = try await server.put(
        "\(Self.parks)?id=title&id=year", ["If-None-Match": "*"], text)
      #expect(made.status == 201)
      let history = try await server.get("\(Self.parks)/items/Zion%1F1919/history")
      #expect(history.status == 200)
      let remembered = try await server.put(
        Self.parks, ["If-Match": "*"], #"[{"title":"Zion","year":1919}]"#)
      #expect(remembered.status == 201)
      let other = try await server.put("\(Self.parks)?id=", ["If-Match": "*"], text)
      try other.expectProblem("invalid-request", 400)
      for (choice, title) in [("keep-first", 1.0), ("keep-last", 2.0)] {
        let answer = try await server.put(
          "\(Self.parks)?id=title&new-ids=true&duplicates=\(choice)", ["If-Match": "*"],
          #"[{"title":"Zion","year":1},{"title":"Zion","year":2}]"#)
        #expect(answer.status == 201)
        let list = try await server.get(Self.parks).json.elements
        #expect(list?.compactMap { $0["year"]?.number } == [title])
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func invalidBodyIsRefusedWithPositionsAndChangesNothing(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      let cursor = try await server.commit("a")
      let json = "application/json"
      for (query, type, text, line, column) in [
        ("", json, "", 0.0, 0.0), ("", json, "[{\"id\":\"a\"},\n {\"id\":]", 2, 8),
        ("", json, "[{\"id\":\"a\"},\n{\"id\":\"a\"}]", 2, 1), ("", json, "[\n{}]", 2, 1),
        ("", json, "{\"data\":[]}", 0, 0), ("items=/x", json, "{\"data\":[]}", 0, 0),
        ("", json, "7", 0, 0), ("", json, "[{\"id\":\"\"}]", 1, 2),
        ("id=title&id=year", json, "[{\"title\":\"a\\u001fb\",\"year\":1}]", 1, 2),
        ("", "text/csv", "n\n1\n", 0, 0), ("", "text/csv", "id\n\"a", 2, 1),
        ("", "application/x-ndjson", "{\"id\":\"a\"}\n{", 2, 2),
      ] {
        let answer = try await server.put(
          "\(Self.parks)?\(query)", ["If-Match": "*", "Content-Type": type], text)
        try answer.expectProblem("unprocessable", 422)
        let position = try answer.json["positions"]?.elements?.first
        if line > 0 {
          #expect(position?["line"]?.number == line, "\(text): \(answer.text)")
          #expect(position?["column"]?.number == column, "\(text): \(answer.text)")
        } else {
          #expect(position == nil, "\(text): \(answer.text)")
        }
      }
      for (name, value) in [
        ("items", "data"), ("format", "xml"), ("duplicates", "all"), ("author", "%ff"),
      ] {
        let answer = try await server.put("\(Self.parks)?\(name)=\(value)", ["If-Match": "*"], "[]")
        try answer.expectProblem("invalid-request", 400)
      }
      for headers: KeyValuePairs in [
        ["If-Match": "*", "Content-Type": "image/png"],
        ["If-Match": "*", "Content-Type": "text/html"],
        ["If-Match": "*", "Content-Encoding": "br"],
        ["If-Match": "*", "Content-Encoding": "gzip, gzip"],
      ] {
        let answer = try await server.put(Self.parks, headers, "[]")
        try answer.expectProblem("unsupported-media-type", 415)
      }
      let gzip = try await server.put(
        Self.parks, ["If-Match": "*", "Content-Encoding": "gzip"], "[]")
      try gzip.expectProblem("invalid-request", 400)
      let cutOff = try await server.send(
        "PUT", Self.parks, ["If-Match": "*", "Content-Encoding": "gzip"],
        body: Self.some.gzipped.dropLast(4))
      try cutOff.expectProblem("invalid-request", 400)
      #expect(try await server.get(Self.parks)["ETag"] == "\"\(cursor)\"")
    }
  }

  /// The route checks it even if the server in front lets it through.
  @Test func bodyOfAnotherLengthThanDeclaredIsRefused() async throws {
    try await TestServer.run(.inProcess) { server in
      for length in ["1", "3", "100000"] {
        let answer = try await server.put(
          Self.parks, ["If-None-Match": "*", "Content-Length": length], "[]")
        try answer.expectProblem("invalid-request", 400)
      }
      #expect(try await server.get("/v1/lists").json["lists"]?.elements == [])
    }
  }

  @Test(arguments: Transport.allCases)
  func bodyAboveALimitIsRefusedByTheNameOfTheLimit(_ transport: Transport) async throws {
    let body = #"[{"id":"aaa"},{"id":"bbb"}]"#
    for (limit, value) in [
      (Limit.items, 1), (.idBytes, 2), (.itemBytes, 10), (.commitBytes, 15),
    ] {
      var settings = ServerSettings()
      settings.limits[limit] = value
      try await TestServer.run(transport, settings: settings) { server in
        let answer = try await server.put(Self.parks, ["If-None-Match": "*"], body)
        try answer.expectProblem("too-large", 413)
        #expect(try answer.json["limit"]?.text == limit.rawValue)
        #expect(try answer.json["highest"]?.number == Double(value))
        #expect(try await server.get("/v1/lists").json["lists"]?.elements == [])
      }
    }
    var settings = ServerSettings()
    settings.limits[.depth] = 2
    try await TestServer.run(transport, settings: settings) { server in
      let deep = #"[{"id":"a","x":[[1]]}]"#
      let answer = try await server.put(Self.parks, ["If-None-Match": "*"], deep)
      try answer.expectProblem("too-large", 413)
      #expect(try answer.json["limit"]?.text == "depth")
    }
    settings = ServerSettings { $0.bodyByteLimit = body.utf8.count }
    try await TestServer.run(transport, settings: settings) { server in
      let unfolding = String(repeating: " ", count: 4096).gzipped
      for (coding, bytes) in [("identity", Array((body + " ").utf8)), ("gzip", unfolding)] {
        let answer = try await server.send(
          "PUT", Self.parks, ["If-None-Match": "*", "Content-Encoding": coding], body: bytes)
        try answer.expectProblem("too-large", 413)
        #expect(try answer.json["limit"]?.text == "body-bytes")
        #expect(try answer.json["highest"]?.number == Double(body.utf8.count))
      }
      let fitting = try await server.put(Self.parks, ["If-None-Match": "*"], body)
      #expect(fitting.status == 201)
    }
  }

  @Test(arguments: Transport.allCases)
  func patchCommitsADeltaOnTheVersionItStartsFrom(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await server.commit("a", "b")
      let new = try await server.commit("b", "c=1", "a")
      let forth = try await server.get("\(Self.parks)/delta?since=1&to=2")
      let back = try await server.get("\(Self.parks)/delta?since=2&to=1")
      let tag = "\"\(new)\""
      let stale = try await server.send("PATCH", Self.parks, ["If-Match": tag], body: forth.body)
      try stale.expectProblem("precondition-failed", 412)
      let done = try await server.send("PATCH", Self.parks, ["If-Match": tag], body: back.body)
      #expect(done.status == 201, "\(done.text)")
      #expect(try await server.get(Self.parks).body == server.get("\(Self.parks)/versions/1").body)
      let again = try await server.send("PATCH", Self.parks, ["If-Match": tag], body: back.body)
      #expect(again.status == 200)
      #expect(again["ETag"] == done["ETag"])
      // Its start names the version after which the same change was made.
      let equal = try await server.send("PATCH", Self.parks, ["If-Match": "*"], body: forth.body)
      #expect(equal.status == 200)
      #expect(equal["ETag"] == tag)
      let without = try await server.send("PATCH", Self.parks, body: back.body)
      try without.expectProblem("precondition-required", 428)
      for (type, text, kind, status) in [
        ("application/json", "[]", "unprocessable", 422),
        ("application/json", "{", "unprocessable", 422),
        ("application/json", "", "unprocessable", 422),
        ("text/csv", "id\n", "unsupported-media-type", 415),
      ] {
        let answer = try await server.send(
          "PATCH", Self.parks, ["If-Match": "*", "Content-Type": type], body: text.utf8)
        try answer.expectProblem(kind, status)
        #expect(
          status != 415
            || answer.text.contains("'text/csv' is not supported here; send application/json\""))
      }
      let document = try DeltaDocument(back.body)
      let elsewhere = try await server.send(
        "PATCH", "/v1/lists/rivers", ["If-Match": "*"], body: document.encoded())
      try elsewhere.expectProblem("precondition-failed", 412)
      #expect(try await server.get("\(Self.parks)/versions").json.elements?.count == 3)
    }
  }
}

extension String {
  var gzipped: [UInt8] {
    let compressor = GzipCompressor()
    return compressor.compress(Array(utf8)) + compressor.finish()
  }
}
