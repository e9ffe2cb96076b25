import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncServer

@Suite struct HostTests {
  private static let stranger = "attacker.example"

  @Test(arguments: Transport.allCases)
  func serverAnswersOnlyForItsOwnAddresses(_ transport: Transport) async throws {
    try await TestServer.run(transport) { server in
      for host in [
        "localhost", "LocalHost", "127.0.0.1", "localhost:8080", "127.0.0.1:1", "localhost:",
      ] {
        try await server.get("/healthz", ["Host": host]).expect(status: 200)
      }
      for host in [
        Self.stranger, "\(Self.stranger):80", "localhost.\(Self.stranger)", "127.0.0.2", "[::1]",
        "127.0.0.1.\(Self.stranger)", "localhost.", "0.0.0.0", "2130706433",
      ] {
        for target in ["/v1/lists", "/healthz", "/nowhere"] {
          try await server.get(target, ["Host": host]).expectProblem("misdirected-request", 421)
        }
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func webPageOfAnotherHostNameCanNeitherReadNorWrite(_ transport: Transport) async throws {
    let settings = ServerSettings { $0.allowedOrigins = ["*"] }
    try await TestServer.run(transport, settings: settings) { server in
      let answer = try await server.put(
        "/v1/lists/parks",
        [
          "Host": Self.stranger, "Origin": "http://\(Self.stranger)", "If-None-Match": "*",
        ], "[]")
      try answer.expectProblem("misdirected-request", 421)
      #expect(answer["Access-Control-Allow-Origin"] == nil)
      #expect(try await server.test.service.lists().isEmpty)
    }
  }

  @Test(arguments: Transport.allCases)
  func serverAnswersForItsConfiguredHostNames(_ transport: Transport) async throws {
    let settings = ServerSettings { $0.hostNames = ["Lists.example"] }
    try await TestServer.run(transport, settings: settings) { server in
      for host in ["lists.example", "LISTS.example:443", "localhost"] {
        try await server.get("/v1/lists", ["Host": host]).expect(status: 200)
      }
      try await server.get("/v1/lists", ["Host": Self.stranger])
        .expectProblem("misdirected-request", 421)
    }
  }

  @Test(arguments: ["", "Host: localhost\r\nHost: localhost\r\n", "Host: a b\r\n", "Host:\r\n"])
  func requestWithoutExactlyOneHostIsRefused(_ lines: String) async throws {
    try await TestServer.run(.network) { server in
      let port = try #require(server.port)
      let bytes = try await onThread {
        let wire = try Wire(port: port)
        try wire.write("GET /v1/lists HTTP/1.1\r\n\(lines)Connection: close\r\n\r\n")
        return try wire.readToEnd()
      }
      try ClientAnswer(parsing: bytes, isHead: false).expectProblem("invalid-request", 400)
    }
  }

  @Test(
    arguments: [
      ("a", "a"), ("A.b:80", "a.b"), ("[::1]", "::1"), ("[FE80::1]:8080", "fe80::1"), ("a:", "a"),
      ("", nil), (":80", nil), ("a:b", nil), ("a:80:80", nil), ("a/b", nil), ("u@a", nil),
      ("[a]", nil), ("[::1", nil), ("::1", nil), ("a\u{e9}", nil), ("a%41", nil),
    ] as [(String, String?)])
  func hostIsANameOrAnAddressWithAnOptionalPort(_ text: String, _ name: String?) {
    #expect(HostNames.name(in: text) == name)
  }
}
