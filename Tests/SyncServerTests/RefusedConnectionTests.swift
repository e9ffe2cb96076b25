import Foundation
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncServer

/// What follows a refusal on its connection.
@Suite struct RefusedConnectionTests {
  /// A request that is refused with `Connection: close`.
  struct Refusal: Sendable, CustomTestStringConvertible {
    let name: String
    let status: Int
    let request: String

    var testDescription: String { name }

    /// - Parameter target: the address of a GET; nil for a PUT of the list.
    init(
      _ name: String, _ status: Int, get target: String? = nil, version: String = "HTTP/1.1",
      _ lines: String..., body: String = ""
    ) {
      (self.name, self.status) = (name, status)
      let start = target.map { "GET \($0)" } ?? "PUT /v1/lists/parks"
      let lines = ["\(start) \(version)", "Host: localhost"] + lines
      request = lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }
  }

  private static let chunks = "2\r\n[]\r\n0\r\n\r\n"
  private static let long = String(repeating: " ", count: 70_000)

  static let refusals = [
    Refusal(
      "unknown coding before chunked", 501, "If-Match: *", "Transfer-Encoding: gzip, chunked",
      body: chunks),
    Refusal(
      "unknown coding after chunked", 400, "If-Match: *", "Transfer-Encoding: chunked, gzip",
      body: chunks),
    Refusal("identity", 501, "If-Match: *", "Transfer-Encoding: identity", body: chunks),
    Refusal(
      "unknown coding of a GET", 501, get: "/healthz", "Transfer-Encoding: gzip, chunked",
      body: chunks),
    Refusal(
      "two frames", 400, "If-Match: *", "Content-Length: 2", "Transfer-Encoding: chunked",
      body: chunks),
    Refusal(
      "two lengths", 400, "If-Match: *", "Content-Length: 2", "Content-Length: 3", body: "[]"),
    Refusal(
      "a chunk of no length", 400, "If-Match: *", "Transfer-Encoding: chunked", body: "zz\r\n[]"),
    Refusal("a header without a colon", 400, get: "/healthz", "NoColon"),
    Refusal("a long header", 400, get: "/healthz", "X: \(String(repeating: "x", count: 20_000))"),
    Refusal("a long address", 400, get: "/\(String(repeating: "a", count: 20_000))"),
    Refusal("an unknown version", 400, get: "/healthz", version: "HTTP/9.9"),
    Refusal(
      "chunks in HTTP/1.0", 400, version: "HTTP/1.0", "Transfer-Encoding: chunked",
      body: chunks),
    Refusal(
      "a long body without a condition", 428, "Content-Length: \(long.utf8.count)", body: long),
    Refusal(
      "a long body of an unknown type", 415, "If-Match: *", "Content-Type: image/png",
      "Content-Length: \(long.utf8.count)", body: long),
    Refusal(
      "a body beyond the limit", 413, "If-Match: *", "Content-Length: 200000",
      body: String(repeating: " ", count: 200_000)),
    Refusal(
      "a chunked body beyond the limit", 413, "If-Match: *", "Transfer-Encoding: chunked",
      body: "30d40\r\n\(String(repeating: " ", count: 200_000))\r\n0\r\n\r\n"),
  ]

  private static let drop =
    "DELETE /v1/lists/parks HTTP/1.1\r\nHost: localhost\r\nIf-Match: *\r\n\r\n"

  @Test(arguments: refusals)
  func refusalIsTheLastAnswerOfItsConnection(_ refusal: Refusal) async throws {
    try await TestServer.run(.network, settings: ServerSettings { $0.bodyByteLimit = 100_000 }) {
      server in
      try await server.commit("a")
      let port = try #require(server.port)
      for isPipelined in [true, false] {
        let bytes = try await onThread { () -> [UInt8] in
          let wire = try Wire(port: port)
          try wire.write(refusal.request + (isPipelined ? Self.drop : ""))
          var bytes = isPipelined ? [] : try wire.read()
          // The server may have closed the connection.
          if !isPipelined { try? wire.write(Self.drop) }
          while let next = try? wire.read(), !next.isEmpty { bytes += next }
          return bytes
        }
        let (answer, rest) = try ClientAnswer.parse(bytes[...], isHead: false)
        #expect(answer.status == refusal.status, "\(answer.text)")
        #expect(answer["Connection"] == "close")
        #expect(rest.isEmpty, "a second answer: \(String(decoding: rest, as: UTF8.self))")
        #expect(try await server.test.service.lists().count == 1, "the list was dropped")
      }
    }
  }

  @Test(arguments: ["Connection: close", "Connection: keep-alive, close"])
  func requestAfterTheLastRequestOfAConnectionIsNotCarriedOut(_ line: String) async throws {
    try await TestServer.run(.network) { server in
      try await server.commit("a")
      let port = try #require(server.port)
      let bytes = try await onThread {
        let wire = try Wire(port: port)
        try wire.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\(line)\r\n\r\n\(Self.drop)")
        return try wire.readToEnd()
      }
      #expect(try ClientAnswer(parsing: bytes, isHead: false).status == 200)
      #expect(try await server.test.service.lists().count == 1, "the list was dropped")
    }
  }

  /// Their frames are clear, so the connection goes on.
  @Test func requestAfterARefusalThatKeepsTheConnectionIsAnswered() async throws {
    try await TestServer.run(.network) { server in
      try await server.commit("a")
      let port = try #require(server.port)
      let refused = [
        ("GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        ("GET /healthz HTTP/1.1\r\nHost: attacker.example\r\n\r\n", 421),
        ("PUT /v1/lists/parks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n[]", 428),
        (
          "POST /v1/lists HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            + Self.chunks, 405
        ),
      ]
      let bytes = try await onThread {
        let wire = try Wire(port: port)
        let last = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        try wire.write(refused.map(\.0).joined() + last)
        return try wire.readToEnd()
      }
      var rest = bytes[...]
      for status in refused.map(\.1) + [200] {
        let (answer, next) = try ClientAnswer.parse(rest, isHead: false)
        #expect(answer.status == status, "\(answer.text)")
        rest = next
      }
      #expect(rest.isEmpty)
    }
  }
}
