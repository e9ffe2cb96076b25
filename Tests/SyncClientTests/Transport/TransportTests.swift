import Foundation
import Gzip
import ListModel
import SyncClientHTTP
import TestSupport
import Testing

@testable import SyncClient

@Suite(.timeLimit(.minutes(Hang.minutes))) struct TransportTests {
  private let request = TransportKind.request

  @Test(arguments: TransportKind.allCases)
  func requestAndResponseAreTransferredUnchanged(_ kind: TransportKind) async throws {
    let body = Array("{}".utf8)
    let server = try LoopbackServer { _ in
      .response("200 OK", headers: ["ETag": "\"x\"", "Content-Type": "a/b"], body: body)
    }
    let response = try await kind.ask(server, TransportOptions(token: "lst_secret"))
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

  @Test(arguments: TransportKind.allCases)
  func errorsKeepTheirStatusAndCookiesAreNotStored(_ kind: TransportKind) async throws {
    for status in [304, 404, 410, 500, 503] {
      let server = try LoopbackServer { _ in
        .response("\(status) X", headers: ["Retry-After": "7", "Set-Cookie": "a=b"])
      }
      for _ in 0..<2 {
        let response = try await kind.ask(server)
        #expect(response.status == status)
        #expect(response.headers["retry-after"] == "7")
      }
      #expect(!server.requests[1].lowercased().contains("cookie"))
    }
  }

  @Test(arguments: TransportKind.allCases)
  func transportReusesItsConnection(_ kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in
      .text("HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n") + [.keepOpen]
    }
    let transport = try kind.transport(to: server.text)
    for _ in 0..<3 { #expect(try await transport.send(request).status == 503) }
    #expect(server.requests.count == 3 && server.connectionCount == 1)
  }

  @Test(arguments: TransportKind.allCases)
  func statusLineWithoutAReasonIsAccepted(_ kind: TransportKind) async throws {
    for line in ["HTTP/1.1 404", "HTTP/1.1 404 ", "HTTP/1.0 404 Not Found"] {
      let server = try LoopbackServer { _ in .text("\(line)\r\nContent-Length: 0\r\n\r\n") }
      #expect(try await kind.ask(server).status == 404, "\(line)")
    }
  }

  @Test(arguments: TransportKind.allCases)
  func trailersAfterAChunkedBodyAreAccepted(_ kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in
      .text(
        """
        HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r
        2;a=b\r\n{}\r\n0\r\nX-Sum: 7\r\n\r\n
        """)
    }
    #expect(try await kind.ask(server).body == Array("{}".utf8))
  }

  @Test(arguments: TransportKind.allCases)
  func redirectsAreNotFollowedToKeepTheTokenSecret(_ kind: TransportKind) async throws {
    let other = try LoopbackServer { _ in .response("200 OK") }
    let address = other.text
    for status in [301, 302, 303, 307, 308] {
      let server = try LoopbackServer { _ in
        .response("\(status) Found", headers: ["Location": address + "/elsewhere"])
      }
      let response = try await kind.ask(server, TransportOptions(token: "lst_secret"))
      #expect(response.status == status)
    }
    #expect(other.requests.isEmpty)
  }

  @Test(arguments: TransportKind.allCases)
  func tokenThatIsInvalidInAHeaderIsNotSent(_ kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .response("200 OK") }
    for token in ["a b", "a\r\nX: y", "é"] {
      await #expect(throws: ReplicaError.badToken) {
        try await kind.ask(server, TransportOptions(token: token))
      }
    }
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: TransportKind.allCases)
  func cancelledRequestEndsAtOnceAndClosesItsConnection(_ kind: TransportKind) async throws {
    for text in ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"] {
      let server = try LoopbackServer { _ in .hang(after: text) }
      let task = Task { try await kind.ask(server) }
      while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
      task.cancel()
      await #expect(throws: (any Error).self) { try await task.value }
      while server.hungUpCount == 0 { try await Task.sleep(for: .milliseconds(5)) }
    }
  }

  @Test(arguments: TransportKind.allCases)
  func requestCancelledBeforeItsStartEnds(_ kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .hang() }
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await kind.ask(server)
    }
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
  }

  /// All exchanges of a process share a thread and connections.
  @Test(arguments: TransportKind.allCases)
  func exchangesBesideEachOtherGetTheirOwnAnswers(_ kind: TransportKind) async throws {
    let silent = try LoopbackServer { _ in .hang() }
    let hanging = (0..<4).map { _ in Task { try await kind.ask(silent) } }
    let server = try LoopbackServer { head in
      let path = head.split(separator: " ")[1]
      return .text("HTTP/1.1 200 OK\r\nContent-Length: \(path.utf8.count)\r\n\r\n\(path)")
        + [.keepOpen]
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          let transport = HTTPTransport(try ServerAddress("\(server.text)/\(number)"))
          let task = Task { try await transport.send(request) }
          if number % 3 == 0 { task.cancel() }
          let response = await task.result
          let isOwn =
            (try? response.get()).map {
              $0.body == Array("/\(number)\(request.target)".utf8)
            } ?? (number % 3 == 0)
          #expect(isOwn, "\(number): \(response)")
        }
      }
      try await group.waitForAll()
    }
    for task in hanging {
      task.cancel()
      await #expect(throws: (any Error).self) { try await task.value }
    }
  }

  @Test func headerFieldOfSeveralLinesIsNotSent() async throws {
    let server = try LoopbackServer { _ in .response("200 OK") }
    let transport = HTTPTransport(try ServerAddress(server.text))
    await #expect(throws: Unavailability.self) {
      try await transport.get("/a", headers: [("Accept", "b\r\nX: y")], waitSeconds: 0)
    }
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: TransportKind.allCases)
  func replicaOverSocketsReceivesTheListOfTheServer(_ kind: TransportKind) async throws {
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
      transport: try kind.transport(to: server.text), storage: ReplicaMemory(model.history[1]))
    try await session.start()
    try await session.settle()
    #expect(await session.copy == model.head)
  }
}
