import Foundation
import Gzip
import ListModel
import Testing

@testable import SyncClient

@Suite(.timeLimit(.minutes(1))) struct URLSessionTransportTests {
  private let request = ReplicaRequest(
    number: 1, list: ModelServer.list, purpose: .catchUp,
    since: MachineFixture.server.history[1].cursor)

  private func transport(
    _ server: LoopbackServer, token: String? = nil, idleSeconds: Double = 20,
    byteLimit: Int = 1 << 20
  ) throws -> URLSessionTransport {
    URLSessionTransport(
      try ServerAddress(server.text),
      options: URLSessionTransport.Options(
        token: token, idleSeconds: idleSeconds, byteLimit: byteLimit))
  }

  @Test("a request goes out as it is, with the token, and the response comes back whole")
  func exchange() async throws {
    let body = Array("{}".utf8)
    let server = try LoopbackServer { _ in
      .response("200 OK", headers: ["ETag": "\"x\"", "Content-Type": "a/b"], body: body)
    }
    let response = try await transport(server, token: "lst_secret").send(request)
    #expect(response.status == 200)
    #expect(response.body == body)
    #expect(response.headers["etag"] == "\"x\"")
    #expect(response.headers["content-type"] == "a/b")
    let lines = server.requests[0].components(separatedBy: "\r\n")
    #expect(lines[0] == "GET \(request.target) HTTP/1.1")
    #expect(lines.contains("If-None-Match: \"\(request.since)\""))
    #expect(lines.contains("Authorization: Bearer lst_secret"))
    #expect(!lines.contains { $0.lowercased().hasPrefix("cookie") })
  }

  @Test("304 and errors come back with their status", arguments: [304, 404, 410, 500, 503])
  func statuses(status: Int) async throws {
    let server = try LoopbackServer { _ in
      .response("\(status) X", headers: ["Retry-After": "7", "Set-Cookie": "a=b"])
    }
    let transport = try transport(server)
    for _ in 0..<2 {
      let response = try await transport.send(request)
      #expect(response.status == status)
      #expect(response.headers["retry-after"] == "7")
    }
    #expect(!server.requests[1].lowercased().contains("cookie"))
  }

  @Test("a packed body comes back unpacked, and its unpacked bytes are limited")
  func gzip() async throws {
    let body = [UInt8](repeating: 0x20, count: 100_000)
    let compressor = GzipCompressor()
    let packed = compressor.compress(body) + compressor.finish()
    let server = try LoopbackServer { _ in
      .response("200 OK", headers: ["Content-Encoding": "gzip"], body: packed)
    }
    #expect(try await transport(server).send(request).body == body)
    await #expect(throws: ReplicaError.answerTooLong(byteLimit: 99_999)) {
      try await transport(server, byteLimit: 99_999).send(request)
    }
  }

  @Test("an answer longer than allowed is cut off, also where it never ends")
  func tooLong() async throws {
    let server = try LoopbackServer { _ in
      .hang(
        after: Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [UInt8](repeating: 65, count: 5000))
    }
    await #expect(throws: ReplicaError.answerTooLong(byteLimit: 4999)) {
      try await transport(server, byteLimit: 4999).send(request)
    }
  }

  @Test("a redirection is not followed, so that a token stays with its server")
  func redirection() async throws {
    let other = try LoopbackServer { _ in .response("200 OK") }
    let address = other.text
    let server = try LoopbackServer { _ in
      .response("302 Found", headers: ["Location": address + "/elsewhere"])
    }
    #expect(try await transport(server, token: "lst_secret").send(request).status == 302)
    #expect(other.requests.isEmpty)
  }

  @Test("no server, no answer in time and half an answer are lost connections")
  func lost() async throws {
    let closed = try LoopbackServer { _ in .send([]) }
    let silent = try LoopbackServer { _ in .hang(after: []) }
    let half = try LoopbackServer { _ in
      .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{".utf8))
    }
    for server in [closed, silent, half] {
      await #expect(throws: URLError.self) {
        try await transport(server, idleSeconds: 1).send(request)
      }
    }
    let nobody = try URLSessionTransport(ServerAddress("http://127.0.0.1:1"))
    await #expect(throws: URLError.self) { try await nobody.send(request) }
  }

  @Test("what the server is asked to wait is added to the time that it has")
  func waits() async throws {
    let server = try LoopbackServer { _ in
      Thread.sleep(forTimeInterval: 2.5)
      return .response("304 Not Modified")
    }
    let watch = ReplicaRequest(
      number: 1, list: ModelServer.list, purpose: .watch(waitSeconds: 10), since: request.since)
    #expect(try await transport(server, idleSeconds: 1).send(watch).status == 304)
  }

  @Test("a token that would break the header is not sent", arguments: ["a b", "a\r\nX: y", "é"])
  func badToken(token: String) async throws {
    let server = try LoopbackServer { _ in .response("200 OK") }
    await #expect(throws: ReplicaError.badToken) {
      try await transport(server, token: token).send(request)
    }
    #expect(server.requests.isEmpty)
  }

  @Test("a cancelled request is given up at once, and its connection closed")
  func cancellation() async throws {
    let server = try LoopbackServer { _ in .hang(after: []) }
    let transport = try transport(server)
    let task = Task { try await transport.send(request) }
    while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
    while server.hungUpCount == 0 { try await Task.sleep(for: .milliseconds(5)) }
  }

  @Test("a request that is cancelled before it is sent ends too")
  func cancelledBefore() async throws {
    let server = try LoopbackServer { _ in .hang(after: []) }
    let transport = try transport(server)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await transport.send(request)
    }
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
  }

  @Test("a replica over sockets has the server's list")
  func replica() async throws {
    let model = MachineFixture.server
    let server = try LoopbackServer { head in
      let since = head.components(separatedBy: "since=")[1].prefix { $0 != "&" }
      let request = ReplicaRequest(
        number: 0, list: ModelServer.list, purpose: .catchUp, since: Cursor(String(since))!)
      let response = model.response(to: request)
      return .response(
        "\(response.status) X", headers: response.headers, body: response.body)
    }
    let session = ReplicaSession(
      ReplicaMachine.Options(list: ModelServer.list, watches: false),
      transport: try transport(server), storage: ReplicaMemory(model.history[1]))
    try await session.start()
    try await session.settle()
    #expect(await session.copy == model.head)
  }
}

@Suite struct ServerAddressTests {
  @Test("an address is http or https with a host, and has no slash at the end")
  func good() throws {
    #expect(try ServerAddress("https://lists.example/").text == "https://lists.example")
    #expect(try ServerAddress("http://[::1]:8080/a/b//").text == "http://[::1]:8080/a/b")
    let url = try ServerAddress("https://h/p").url("/v1/lists/parks/delta?since=0-000000000000")
    #expect(url.absoluteString == "https://h/p/v1/lists/parks/delta?since=0-000000000000")
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", "lists.example", "ftp://h", "https://", "https:///x", "http://u:p@h", "http://h?x=1",
      "http://h#x", "file:///etc/passwd", "http://a b/",
    ])
  func bad(text: String) {
    #expect(throws: ReplicaError.badAddress(text)) { try ServerAddress(text) }
  }
}
