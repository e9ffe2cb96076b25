import HTTPTypes
import Hummingbird
import ListDocuments
import ListModel
import Logging
import NIOCore
import StoreTestSupport
import SyncService
import Synchronization
import TestSupport
import Testing

@testable import SyncServer

/// Tokens that are revoked during a request.
@Suite struct RevocationTests {
  private static let name = TokenName("app")!

  private func bearer(_ server: TestServer) async throws -> String {
    let made = try await server.test.service.makeToken(
      named: Self.name, grants: [AccessGrant(.write, .all)])
    try await server.headCache.refresh()
    return "Bearer \(made.secret.text)"
  }

  /// Sends a request that waits for the server's permission to send its body.
  private func beginning(
    _ server: TestServer, _ bearer: String?, byteCount: Int
  ) async throws -> Wire {
    let port = try #require(server.port)
    return try await onThread {
      let wire = try Wire(port: port)
      let authorization = bearer.map { "Authorization: \($0)\r\n" } ?? ""
      try wire.write(
        """
        PUT /v1/lists/parks HTTP/1.1\r
        Host: localhost\r
        Connection: close\r
        If-None-Match: *\r
        Expect: 100-continue\r
        \(authorization)Content-Length: \(byteCount)\r
        \r

        """)
      let answer = String(decoding: try wire.read(), as: UTF8.self)
      #expect(answer.hasPrefix("HTTP/1.1 100 "), "\(answer)")
      return wire
    }
  }

  private func answer(_ wire: Wire, to body: String) async throws -> ClientAnswer {
    let bytes = try await onThread {
      try wire.write(body)
      return try wire.readToEnd()
    }
    return try ClientAnswer(parsing: bytes, isHead: false)
  }

  /// The cache is not involved: the commit's own transaction checks the token.
  @Test func tokenRevokedDuringAnUploadCommitsNothing() async throws {
    try await TestServer.run(.network) { server in
      let body = #"[{"id":"a"}]"#
      let wire = try await beginning(server, try await bearer(server), byteCount: body.utf8.count)
      try await server.test.service.revokeToken(named: Self.name)
      try await answer(wire, to: body).expectProblem("unauthenticated", 401)
      #expect(try await server.test.service.lists().isEmpty)
    }
  }

  @Test func bodyOfARevokedTokenIsNotParsed() async throws {
    try await TestServer.run(.network) { server in
      let body = "no list at all"
      let wire = try await beginning(server, try await bearer(server), byteCount: body.utf8.count)
      try await server.test.service.revokeToken(named: Self.name)
      try await server.headCache.refresh()
      try await answer(wire, to: body).expectProblem("unauthenticated", 401)
    }
  }

  @Test func firstTokenEndsUploadsWithoutAToken() async throws {
    try await TestServer.run(.network) { server in
      let body = #"[{"id":"a"}]"#
      let wire = try await beginning(server, nil, byteCount: body.utf8.count)
      _ = try await bearer(server)
      try await answer(wire, to: body).expectProblem("unauthenticated", 401)
      #expect(try await server.test.service.lists().isEmpty)
    }
  }

  /// A former fault: a request for a delta waited up to a minute more.
  @Test(arguments: [Transport.inProcess, .network])
  func waitForADeltaEndsWithItsToken(_ transport: Transport) async throws {
    try await TestServer.run(transport, clock: ManualClock()) { server in
      let cursor = try await server.commit("a")
      let bearer = try await bearer(server)
      let held = Task {
        try await server.get(
          "/v1/lists/parks/delta?since=\(cursor)&wait=60", ["Authorization": bearer])
      }
      try await eventually("it is held") { server.headCache.watcherCount == 1 }
      try await server.test.service.revokeToken(named: Self.name)
      try await server.headCache.refresh()
      try await eventually("nobody waits") { server.headCache.watcherCount == 0 }
      try await held.value.expectProblem("unauthenticated", 401)
    }
  }

  @Test(arguments: ["", "/bundle", "/delta?since=0", "/delta?since=0&fallback=snapshot"])
  func answerStopsAfterItsTokenIsRevoked(_ rest: String) async throws {
    try await TestServer.run(.inProcess) { server in
      try await server.commit("a", "b")
      // Held answers are sent in pieces of 128 KiB.
      let text = String(repeating: "x", count: 600_000)
      _ = try await server.test.service.commit(
        CommitRequest(
          list: .parks,
          snapshot: Snapshot([Item(id: "a", content: Content(json: "\"\(text)\""))])))
      let bearer = try await bearer(server)
      let head = HTTPRequest(
        method: .get, scheme: "http", authority: "localhost", path: "/v1/lists/parks\(rest)",
        headerFields: [.authorization: bearer])
      let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      let response = try await server.syncServer.responder().respond(
        to: Request(head: head, body: RequestBody(buffer: ByteBuffer())),
        context: ServerContext(logger: logger))
      #expect(response.status == .ok)
      let writer = RevokingWriter {
        try await server.test.service.revokeToken(named: Self.name)
        try await server.headCache.refresh()
      }
      let refusal = await #expect(throws: Problem.self) { try await response.body.write(writer) }
      #expect(refusal?.kind == .unauthenticated)
      #expect(writer.partCount == 1)
    }
  }
}

/// A reader whose token is revoked after the first part.
private final class RevokingWriter: ResponseBodyWriter, Sendable {
  private let parts = Atomic<Int>(0)
  private let revoke: @Sendable () async throws -> Void

  init(_ revoke: @escaping @Sendable () async throws -> Void) { self.revoke = revoke }

  var partCount: Int { parts.load(ordering: .relaxed) }

  func write(_ buffer: ByteBuffer) async throws {
    if parts.add(1, ordering: .relaxed).newValue == 1 { try await revoke() }
  }

  func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
