import Gzip
import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncServer

/// Rules for every resource.
@Suite struct ProtocolTests {
  /// Every resource of a list with two versions and a tag.
  static let resources = [
    "/v1/lists", "/v1/lists/parks", "/v1/lists/parks/versions", "/v1/lists/parks/versions/1",
    "/v1/lists/parks/delta?since=1", "/v1/lists/parks/delta?since=0&fallback=snapshot",
    "/v1/lists/parks/items/long", "/v1/lists/parks/items/long/history",
    "/v1/lists/parks/items/long/places", "/v1/lists/parks/items?item=long",
    "/v1/lists/parks/bundle", "/v1/lists/parks/tags",
    "/v1/lists/parks/prunings",
    "/healthz", "/readyz", "/metrics", "/openapi.json",
  ]

  /// Fills a list until its answers are long enough to be packed.
  static func fill(_ server: TestServer) async throws {
    let text = String(repeating: "long ", count: 1000)
    let made = try await server.put(
      "/v1/lists/parks", ["If-None-Match": "*"], #"[{"id":"long","text":"\#(text)"}]"#)
    made.expect(status: 201)
    _ = try await server.test.service.tag(#require(TagName("spring")), of: .parks)
    let changed = try await server.put(
      "/v1/lists/parks", ["If-Match": "*"], #"[{"id":"long","text":"\#(text)!"}]"#)
    changed.expect(status: 201)
  }

  @Test(arguments: Transport.allCases)
  func packedAnswerUnpacksToThePlainOneAndHasItsOwnTag(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await Self.fill(server)
      var packedCount = 0
      for target in Self.resources where target != "/metrics" {
        let plain = try await server.get(target)
        #expect(plain["Content-Encoding"] == nil)
        for coding in ["gzip", "br;q=1, GZIP ; q=0.5", "*", "x-gzip"] {
          let answer = try await server.get(target, ["Accept-Encoding": coding])
          #expect(answer.status == 200)
          #expect(answer["Vary"] == "Accept-Encoding", "\(target)")
          guard answer["Content-Encoding"] == "gzip" else {
            #expect(plain.body.count < BufferedBody.leastCompressedByteCount, "\(target)")
            #expect(answer.body == plain.body)
            continue
          }
          packedCount += 1
          #expect(try answer.body.gunzipped == plain.body, "\(target)")
          let tag = plain["ETag"].map { "\($0.dropLast())+gzip\"" }
          #expect(answer["ETag"] == tag, "\(target)")
          guard let tag else { continue }
          let unchanged = try await server.get(target, ["If-None-Match": tag])
          #expect(unchanged.status == 304, "\(target)")
          for (tag, coding) in [(tag, coding), (plain["ETag"] ?? "", "identity")] {
            let unchanged = try await server.get(
              target, ["If-None-Match": tag, "Accept-Encoding": coding])
            #expect(unchanged.status == 304 && unchanged["ETag"] == tag, "\(target)")
          }
        }
        for coding in ["identity", "gzip;q=0", "*;q=0, br", "gzip;q=0, *", "br", ""] {
          let answer = try await server.get(target, ["Accept-Encoding": coding])
          #expect(answer["Content-Encoding"] == nil, "\(target) \(coding)")
          #expect(answer.body == plain.body)
        }
      }
      #expect(packedCount > 20)
    }
  }

  @Test(arguments: Transport.allCases)
  func headAnswersLikeGetWithoutTheBody(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await Self.fill(server)
      let others = [
        "/v1/lists/rivers", "/v1/lists/parks/delta", "/v1/lists/parks/versions/9", "/nowhere",
      ]
      for target in Self.resources + others where target != "/metrics" {
        for headers: KeyValuePairs in [
          [:], ["Accept-Encoding": "gzip"], ["If-None-Match": "*"],
        ] {
          let get = try await server.get(target, headers).lasting
          let head = try await server.send("HEAD", target, headers).lasting
          #expect(head.status == get.status, "\(target)")
          #expect(head.body.isEmpty)
          #expect(head.headers == get.headers, "\(target) \(headers)")
        }
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func unsupportedMethodIsRefusedWithTheAllowedOnes(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await server.commit("a")
      for (target, allowed) in [
        ("/v1/lists", "GET, HEAD, OPTIONS"), ("/healthz", "GET, HEAD, OPTIONS"),
        ("/v1/lists/parks", "DELETE, GET, HEAD, OPTIONS, PATCH, PUT"),
        ("/v1/lists/parks/delta?since=1", "GET, HEAD, OPTIONS"),
        ("/v1/lists/none/items/a/history", "GET, HEAD, OPTIONS"),
        ("/v1/lists/parks/items/a", "DELETE, GET, HEAD, OPTIONS, PUT"),
        ("/v1/lists/parks/items?item=a", "DELETE, GET, HEAD, OPTIONS, PUT"),
      ] {
        for method in ["PUT", "PATCH", "POST", "DELETE", "TRACE", "PROPFIND", "LOCK"]
        where !allowed.contains(method) {
          let answer = try await server.send(method, target)
          try answer.expectProblem("method-not-allowed", 405)
          #expect(answer["Allow"] == allowed)
        }
        let options = try await server.send("OPTIONS", target)
        #expect(options.status == 204)
        #expect(options["Allow"] == allowed)
        #expect(options.body.isEmpty)
        #expect(options["Content-Length"] == nil)
      }
      try await server.send("POST", "/nowhere").expectProblem("not-found", 404)
      try await server.send("OPTIONS", "/nowhere").expectProblem("not-found", 404)
    }
  }

  @Test(arguments: Transport.allCases)
  func resourceHasOneSpellingOfItsAddress(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await server.commit("a")
      for target in [
        "//v1/lists", "/v1//lists", "/v1/lists/parks//versions", "/V1/lists",
        "/v1/lists/parks/", "/v1/lists/", "/v1/", "/v1/lists/parks/versions/1/", "/healthz/",
      ] {
        try await server.get(target).expectProblem("not-found", 404)
      }
      try await server.get("/v1/lists/%70arks").expect(status: 200)
    }
  }

  /// Any other id is replaced by a new one.
  @Test(arguments: Transport.allCases)
  func answerRepeatsARequestIDThatIsFitForTheLog(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      for name in ["a", "A-b_9", String(repeating: "x", count: 64)] {
        for target in ["/v1/lists", "/v1/lists/none", "/nowhere"] {
          let answer = try await server.get(target, ["X-Request-Id": name])
          #expect(answer["X-Request-Id"] == name)
        }
      }
      var made: Set<String> = []
      for name in ["", "a b", "a\u{e9}", String(repeating: "x", count: 65), "a,b", "{}"] {
        let answer = try await server.get("/v1/lists", ["X-Request-Id": name])
        let id = try #require(answer["X-Request-Id"])
        #expect(id != name && !id.isEmpty)
        made.insert(id)
      }
      #expect(made.count == 6)
    }
  }

  /// nginx holds back a body of unknown length until it is long: of events, for minutes.
  @Test(arguments: Transport.allCases)
  func exactlyStreamsAskProxiesToPassThemAtOnce(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await Self.fill(server)
      var streamCount = 0
      for target in Self.resources + ["/v1/events", "/v1/lists/parks/events", "/nowhere"] {
        let answer = try await server.send("HEAD", target)
        let isStream = answer["Content-Length"] == nil
        streamCount += isStream ? 1 : 0
        #expect(answer["X-Accel-Buffering"] == (isStream ? "no" : nil), "\(target)")
      }
      #expect(streamCount == 3, "bundle and events")
    }
  }

  @Test(arguments: Transport.allCases)
  func everyAnswerForbidsContentSniffing(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      try await Self.fill(server)
      for target in Self.resources + ["/nowhere", "/v1/lists/none"] {
        #expect(try await server.get(target)["X-Content-Type-Options"] == "nosniff")
      }
    }
  }
}

@Suite struct OriginTests {
  private static let home = "https://example.org"
  private static let stranger = "https://example.com"

  @Test(arguments: Transport.allCases)
  func allowedOriginMayRequestAndReadTheHeadersOfAClient(_ transport: Transport) async throws {
    let settings = ServerSettings { $0.allowedOrigins = [Self.home] }
    try await TestServer.run(transport, settings: settings) { server in
      try await server.commit("a")
      for target in ["/v1/lists/parks", "/v1/lists/none", "/nowhere"] {
        let answer = try await server.get(target, ["Origin": Self.home])
        #expect(answer["Access-Control-Allow-Origin"] == Self.home, "\(target)")
        #expect(answer["Vary"] == "Accept-Encoding, Origin")
        let exposed = try #require(answer["Access-Control-Expose-Headers"])
        for name in [
          "ETag", "Link", "List-Id-Rule", "Content-Location", "Location", "Retry-After",
          "X-Request-Id",
        ] {
          #expect(exposed.lowercased().contains(name.lowercased()))
        }
      }
      let asked = try await server.send(
        "OPTIONS", "/v1/lists/parks",
        [
          "Origin": Self.home, "Access-Control-Request-Method": "PUT",
          "Access-Control-Request-Headers": "if-match, authorization",
        ])
      #expect(asked.status == 204)
      #expect(asked["Access-Control-Allow-Origin"] == Self.home)
      #expect(asked["X-Request-Id"] != nil)
      let metrics = try await server.get("/metrics").text
      #expect(metrics.contains(#"{method="OPTIONS",route="none",status="204"} 1"#))
      for method in ["GET", "HEAD", "PUT", "PATCH", "DELETE"] {
        #expect(asked["Access-Control-Allow-Methods"]?.contains(method) == true)
      }
      for name in ["if-match", "if-none-match", "authorization", "content-type", "last-event-id"] {
        #expect(asked["Access-Control-Allow-Headers"]?.lowercased().contains(name) == true)
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func otherOriginsGetNoPermissionToReadAnswers(_ transport: Transport) async throws {
    let settings = ServerSettings { $0.allowedOrigins = [Self.home] }
    try await TestServer.run(transport, settings: settings) { server in
      try await server.commit("a")
      for origin in [Self.stranger, "null", "https://example.org.evil", "http://example.org", ""] {
        for method in ["GET", "OPTIONS"] {
          let answer = try await server.send(method, "/v1/lists/parks", ["Origin": origin])
          #expect(answer["Access-Control-Allow-Origin"] == nil, "\(origin)")
          #expect(answer["Vary"]?.contains("Origin") == true)
        }
      }
      let plain = try await server.get("/v1/lists/parks")
      #expect(plain["Vary"] == "Accept-Encoding, Origin", "a page may be next at a cache")
    }
    try await TestServer.run(transport) { server in
      let answer = try await server.get("/v1/lists", ["Origin": Self.home])
      #expect(answer["Access-Control-Allow-Origin"] == nil)
      #expect(answer["Vary"] == "Accept-Encoding")
    }
  }

  @Test(arguments: Transport.allCases)
  func everyPageMayRequestWhenAllOriginsAreAllowed(_ transport: Transport) async throws {
    try await TestServer.run(transport, settings: ServerSettings { $0.allowedOrigins = ["*"] }) {
      server in
      for headers: KeyValuePairs in [["Origin": Self.stranger], [:]] {
        let answer = try await server.get("/v1/lists", headers)
        #expect(answer["Access-Control-Allow-Origin"] == "*")
        #expect(answer["Vary"] == "Accept-Encoding")
      }
    }
  }
}

extension [UInt8] {
  var gunzipped: [UInt8] {
    get throws {
      let decompressor = GzipDecompressor()
      decompressor.feed(self)
      var bytes: [UInt8] = []
      while let piece = try decompressor.next() { bytes += piece }
      try decompressor.finish()
      return bytes
    }
  }
}
