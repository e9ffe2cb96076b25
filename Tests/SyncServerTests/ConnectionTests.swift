import Foundation
import ListDocuments
import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncServer

/// Behaviour that needs a real connection.
@Suite struct ConnectionTests {
  private static let target = "PUT /v1/lists/parks HTTP/1.1\r\nHost: localhost\r\n"
  private static let head = "\(target)If-None-Match: *\r\n"

  /// The start of a body; its items are valid so far.
  private static let lines = (0..<100).map { "{\"id\":\"\($0)\"}\n" }.joined()

  private func send(
    _ text: String, to server: TestServer,
    _ rest: @escaping @Sendable (Wire) throws -> Void = { _ in }
  ) async throws -> [UInt8] {
    let port = try #require(server.port)
    return try await onThread {
      let wire = try Wire(port: port)
      try wire.write(text)
      try rest(wire)
      return try wire.readToEnd()
    }
  }

  private func expectNoLists(
    _ server: TestServer, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    #expect(try await server.test.service.lists().isEmpty, sourceLocation: sourceLocation)
  }

  @Test func bodyThatIsCutOffIsNotStoredInAnyFraming() async throws {
    try await TestServer.run(.network) { server in
      let count = String(Self.lines.utf8.count, radix: 16)
      let chunk = "Transfer-Encoding: chunked\r\n\r\n\(count)\r\n\(Self.lines)"
      let framings = [
        "Content-Length: 5000\r\n\r\n\(Self.lines)", chunk, "\(chunk)\r\n", "\(chunk)\r\n0\r\n",
      ]
      for framing in framings {
        let text = "\(Self.head)Content-Type: application/x-ndjson\r\n\(framing)"
        let bytes = try await send(text, to: server) { $0.endWriting() }
        if !bytes.isEmpty {
          let (answer, rest) = try ClientAnswer.parse(bytes[...], isHead: false)
          try answer.expectProblem("invalid-request", 400)
          #expect(rest.isEmpty, "one request has one answer")
        }
        try await expectNoLists(server)
        _ = try? await send(text, to: server) { $0.reset() }
        try await Task.sleep(for: .milliseconds(50))
        try await expectNoLists(server)
      }
    }
  }

  @Test func invalidFramingIsRefusedAndNothingIsStored() async throws {
    try await TestServer.run(.network) { server in
      for framing in [
        "Transfer-Encoding: chunked\r\n\r\nzz\r\n[]\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n2\r\n[]]]\r\n0\r\n\r\n",
        "Content-Length: 2\r\nContent-Length: 3\r\n\r\n[]]",
        "Content-Length: -1\r\n\r\n[]", "Content-Length: 99999999999999999999\r\n\r\n[]",
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n",
      ] {
        let bytes = try await send(Self.head + framing, to: server) { $0.endWriting() }
        let (answer, rest) = try ClientAnswer.parse(bytes[...], isHead: false)
        #expect(answer.status == 400, "\(framing) \(answer.text)")
        #expect(rest.isEmpty, "\(framing)")
        try await expectNoLists(server)
      }
    }
  }

  @Test func chunkedBodyIsReadLikeAnyOther() async throws {
    try await TestServer.run(.network) { server in
      let text =
        "\(Self.head)Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "1\r\n[\r\nb;x=y\r\n{\"id\":\"a\"},\r\n9\r\n{\"id\":\"b\"\r\n2\r\n}]\r\n0\r\n\r\n"
      let bytes = try await send(text, to: server)
      #expect(try ClientAnswer(parsing: bytes, isHead: false).status == 201)
      #expect(try await server.test.service.snapshot(of: .parks).snapshot.items.count == 2)
    }
  }

  @Test func bytesAfterTheContentLengthAreTheNextRequest() async throws {
    try await TestServer.run(.network) { server in
      let text =
        "\(Self.head)Content-Length: 2\r\n\r\n[]"
        + "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
      let bytes = try await send(text, to: server)
      let (first, rest) = try ClientAnswer.parse(bytes[...], isHead: false)
      #expect(first.status == 200)
      let (second, end) = try ClientAnswer.parse(rest, isHead: false)
      #expect(second.status == 200)
      #expect(second.text == "{\"status\":\"alive\"}\n")
      #expect(end.isEmpty)
    }
  }

  @Test func pipelinedRequestsAreAnsweredInOrderWhateverTheirOutcome() async throws {
    try await TestServer.run(.network) { server in
      try await server.commit("a")
      let requests: [(String, String, Int)] = [
        ("GET", "/v1/lists/parks", 200), ("HEAD", "/v1/lists/parks", 200),
        ("HEAD", "/v1/lists/parks/bundle", 200), ("GET", "/nowhere", 404),
        ("POST", "/v1/lists/parks", 405),
        ("OPTIONS", "/v1/lists", 204), ("GET", "/v1/lists/parks/bundle", 200),
        ("GET", "/v1/lists/parks/delta?since=0&fallback=snapshot", 200), ("GET", "/healthz", 200),
      ]
      var text = ""
      for (method, target, _) in requests {
        text += "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
        text += target == "/healthz" ? "Connection: close\r\n\r\n" : "\r\n"
      }
      var rest = try await send(text, to: server)[...]
      for (method, target, status) in requests {
        let (answer, next) = try ClientAnswer.parse(rest, isHead: method == "HEAD")
        #expect(answer.status == status, "\(method) \(target)")
        rest = next
      }
      #expect(rest.isEmpty)
    }
  }

  @Test(arguments: ["", "Connection: close\r\n"])
  func halfClosedClientReceivesTheWholeAnswer(_ header: String) async throws {
    try await TestServer.run(.network) { server in
      let text = String(repeating: "x", count: 6_000_000)
      let made = try await server.put(
        "/v1/lists/long", ["If-None-Match": "*"], #"[{"id":"a","text":"\#(text)"}]"#)
      made.expect(status: 201)
      let port = try #require(server.port)
      let bytes = try await onThread {
        let wire = try Wire(port: port, receiveByteCount: 4096)
        try wire.write("GET /v1/lists/long HTTP/1.1\r\nHost: localhost\r\n\(header)\r\n")
        wire.endWriting()
        // By then the server has written all that fits, and has closed its side of the connection.
        Thread.sleep(forTimeInterval: 1)
        return try wire.readToEnd()
      }
      let answer = try ClientAnswer(parsing: bytes, isHead: false)
      #expect(answer.body.count > 6_000_000)
    }
  }

  @Test func requestWithTwoTokensIsUnauthenticated() async throws {
    try await TestServer.run(.network) { server in
      let text =
        "GET /v1/lists HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        + "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n"
      let answer = try ClientAnswer(parsing: try await send(text, to: server), isHead: false)
      try answer.expectProblem("unauthenticated", 401)
    }
  }

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func refusedEndlessUploadIsCutOff() async throws {
    try await TestServer.run(.network, settings: ServerSettings { $0.bodyByteLimit = 1000 }) {
      server in
      let head = "\(Self.head)Transfer-Encoding: chunked\r\n\r\n"
      let port = try #require(server.port)
      try await onThread {
        let wire = try Wire(port: port)
        try wire.write(head)
        let blanks = String(repeating: " ", count: 65_536)
        let chunk = Array("10000\r\n\(blanks)\r\n".utf8)
        #expect(throws: Wire.Failure.self) {
          while true {
            try wire.write(chunk)
            Thread.sleep(forTimeInterval: 0.005)
          }
        }
      }
      try await expectNoLists(server)
    }
  }

  @Test func bodyThatExceedsItsTimeIsRefusedAndEndsTheConnection() async throws {
    try await TestServer.run(.network, settings: ServerSettings { $0.bodySeconds = 1 }) { server in
      let bytes = try await send("\(Self.head)Content-Length: 100000\r\n\r\n[", to: server)
      try ClientAnswer(parsing: bytes, isHead: false).expectProblem("invalid-request", 400)
      try await expectNoLists(server)
    }
  }

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func bodyMemoryLimitsLongBodiesButNeverShortOnes() async throws {
    let settings = ServerSettings {
      $0.bodyByteLimit = 200_000
      $0.heldBodyByteLimit = 200_000
    }
    try await TestServer.run(.network, settings: settings) { server in
      let port = try #require(server.port)
      let memory = server.syncServer.bodyMemory
      let held = try await onThread { () -> Wire in
        let wire = try Wire(port: port)
        try wire.write("\(Self.head)Content-Length: 200000\r\n\r\n")
        try wire.write(Array(repeating: 32, count: 150_000))
        return wire
      }
      // Some of its bytes have been sent.
      try await eventually("the first body is held") { memory.byteCount == 150_000 }
      let long = String(repeating: " ", count: 70_000) + "[]"
      let refused = try await server.put("/v1/lists/rivers", ["If-None-Match": "*"], long)
      try refused.expectProblem("busy", 503)
      #expect(refused["Retry-After"] == "1")
      let short = try await server.put("/v1/lists/rivers", ["If-None-Match": "*"], "[]")
      short.expect(status: 200)
      let rest = try await onThread {
        try held.write(Array(repeating: 32, count: 49_998) + Array("[]".utf8))
        held.endWriting()
        return try held.readToEnd()
      }
      #expect(try ClientAnswer(parsing: rest, isHead: false).status == 200)
      try await eventually("nothing is held any more") { memory.byteCount == 0 }
      let after = try await server.put("/v1/lists/rivers", ["If-Match": "*"], long)
      after.expect(status: 200)
    }
  }

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func slowBodiesDoNotBlockALongBody() async throws {
    let settings = ServerSettings {
      $0.bodyByteLimit = 1 << 20
      $0.heldBodyByteLimit = 8 << 20
    }
    try await TestServer.run(.network, settings: settings) { server in
      let port = try #require(server.port)
      let wires = try await onThread {
        try (0..<20).map { _ in
          let wire = try Wire(port: port)
          try wire.write("\(Self.head)Content-Length: 1000000\r\n\r\n")
          try wire.write(Array(repeating: 32, count: 66_000))
          return wire
        }
      }
      try await eventually("all bodies are held") {
        server.syncServer.bodyMemory.byteCount == 20 * 66_000
      }
      let long = String(repeating: " ", count: 900_000) + "[]"
      try await server.put("/v1/lists/rivers", ["If-None-Match": "*"], long).expect(status: 200)
      _ = wires
    }
  }
}

@Suite struct ProgressTests {
  private static let limit = Duration.seconds(30)

  @Test func requestThatMakesProgressMayExceedTheTimeLimit() async throws {
    let clock = ManualClock()
    let count = try await withProgress(of: 1, within: Self.limit, clock: clock) { progress in
      for _ in 0..<4 {
        try await eventually("the time is measured") { clock.sleeperCount == 1 }
        progress.add(1)
        clock.advance(by: Self.limit)
      }
      return progress.count
    }
    #expect(count == 4)
  }

  @Test func requestWithTooLittleProgressIsRefusedAtTheLimit() async throws {
    let clock = ManualClock()
    let refusal = await #expect(throws: Problem.self) {
      try await withProgress(of: 1000, within: Self.limit, clock: clock) { progress in
        try await eventually("the time is measured") { clock.sleeperCount == 1 }
        progress.add(999)
        clock.advance(by: Self.limit)
        while true { try await Task.sleep(for: .milliseconds(1)) }
      }
    }
    #expect(refusal?.kind == .invalidRequest)
  }
}
