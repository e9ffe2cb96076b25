import Foundation
import Gzip
import ListModel
import TestSupport
import Testing

@testable import SyncClient

/// The limits of a transport on bytes and time.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct TransportBoundTests {
  private static let head = "HTTP/1.1 200 OK\r\n"

  private static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    let compressor = GzipCompressor()
    return compressor.compress(bytes) + compressor.finish()
  }

  private static func packed(_ body: [UInt8]) -> [LoopbackServer.Step] {
    .response("200 OK", headers: ["Content-Encoding": "gzip"], body: body)
  }

  @Test(arguments: TransportKind.allCases)
  func gzipBodyIsUnpackedUpToTheByteLimit(
    _ kind: TransportKind
  ) async throws {
    let body = [UInt8](repeating: 0x20, count: 100_000)
    let member = Self.gzip(body)
    let server = try LoopbackServer { _ in Self.packed(member) }
    #expect(try await kind.ask(server).body == body)
    await #expect(throws: ReplicaError.answerTooLong(byteLimit: 99_999)) {
      try await kind.ask(server, TransportOptions(byteLimit: 99_999))
    }
    #expect(server.requests.allSatisfy { $0.lowercased().contains("\r\naccept-encoding: gzip") })
  }

  @Test func gzipBodyOfSeveralMembersIsReadToItsEnd() async throws {
    let (first, second) = (Array("[1,".utf8), Array("2]".utf8))
    let packed = Self.gzip(first) + Self.gzip([]) + Self.gzip(second)
    let server = try LoopbackServer { _ in Self.packed(packed) }
    #expect(try await TransportKind.http.ask(server).body == first + second)
  }

  @Test func damagedOrCutOffGzipBodyIsRefused() async throws {
    let packed = Self.gzip(Array("{\"a\":1}".utf8))
    var flipped = packed
    flipped[packed.count - 5] ^= 1
    for body in [Array(packed.dropLast()), flipped, packed + [0], Array("{}".utf8)] {
      let failure = try await TransportKind.http.failure(Self.packed(body))
      guard case .network(let reason) = failure else {
        Issue.record("\(body): \(String(describing: failure))")
        continue
      }
      #expect(reason.contains("the packed answer is damaged"))
    }
    let server = try LoopbackServer { _ in Self.packed([]) }
    #expect(try await TransportKind.http.ask(server).body.isEmpty)
  }

  @Test func contentCodingThatWasNotRequestedIsRefused() async throws {
    for coding in ["br", "gzip, gzip", "deflate"] {
      let failure = try await TransportKind.http.failure(
        .response("200 OK", headers: ["Content-Encoding": coding], body: Array("{}".utf8)))
      #expect(
        failure == .network(reason: "the answer is coded as '\(coding)', not as asked"))
    }
  }

  @Test(arguments: TransportKind.allCases)
  func transportStopsAnAnswerAboveTheByteLimit(_ kind: TransportKind) async throws {
    let part = [UInt8](repeating: 65, count: 5000)
    let chunk = Array("1388\r\n".utf8) + part + Array("\r\n".utf8)
    let endings: [(String, [LoopbackServer.Step])] = [
      ("\r\n", [.sendForever(part)]), ("\r\n", [.send(part), .awaitEnd]),
      ("Transfer-Encoding: chunked\r\n\r\n", [.sendForever(chunk)]),
      ("Content-Length: 9223372036854775806\r\n\r\n", [.sendForever(part)]),
    ]
    for (ending, steps) in endings {
      let server = try LoopbackServer { _ in .text(Self.head + ending) + steps }
      await #expect(throws: ReplicaError.answerTooLong(byteLimit: 4999)) {
        try await kind.ask(server, TransportOptions(byteLimit: 4999))
      }
    }
  }

  @Test(arguments: TransportKind.allCases)
  func problemWithoutAnEndKeepsItsStatusAndHasNoBody(_ kind: TransportKind) async throws {
    let part = [UInt8](repeating: 0x20, count: 5000)
    let bomb = Self.gzip([UInt8](repeating: 0x20, count: 1 << 20))
    let replies: [[LoopbackServer.Step]] = [
      .text("HTTP/1.1 404 Not Found\r\n\r\n") + [.sendForever(part)],
      .response("404 Not Found", headers: ["Content-Encoding": "gzip"], body: bomb),
    ]
    for reply in replies {
      let server = try LoopbackServer { _ in reply }
      let response = try await kind.ask(server)
      #expect(response.status == 404 && response.body.isEmpty)
    }
    let whole = [UInt8](repeating: 0x20, count: TransportOptions.problemByteLimit)
    let server = try LoopbackServer { _ in .response("404 Not Found", body: whole) }
    #expect(try await kind.ask(server).body == whole)
  }

  @Test func headsAndTrailersWithoutAnEndAreRefused() async throws {
    let body = "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"
    for (start, line) in [
      (Self.head, "X: y\r\n"), (Self.head, "Content-Type: text/html, "), ("", "HTTP/1.1 "),
      ("", "HTTP/1.1 100 Continue\r\n\r\n"), (Self.head + body, "X: y\r\n"),
    ] {
      let lines = Array(String(repeating: line, count: 100).utf8)
      let failure = try await TransportKind.http.failure(
        .text(start) + [.sendForever(lines)],
        TransportOptions(idleSeconds: 5, totalSeconds: 5))
      guard case .network(let reason) = failure, !reason.hasSuffix(" s") else {
        Issue.record("\(start)\(line): \(String(describing: failure))")
        continue
      }
    }
  }

  /// Starts of answers that are followed by nothing, or by too little.
  private static let unfinished: [(String, [LoopbackServer.Step])] = [
    ("", []), ("HTTP/1.1 20", []), (head + "Content-Ty", []), (head, []),
    (head + "Content-Length: 100\r\n\r\n{", []), (head + "\r\n{", []),
    (head + "Transfer-Encoding: chunked\r\n\r\n5\r\n{", []),
    (head + "Transfer-Encoding: chunked\r\n\r\n0\r\n", []),
    ("", Array(repeating: .send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)), count: 5)),
  ]

  @Test(arguments: TransportKind.allCases)
  func requestToASilentServerFailsAfterTheIdleTime(_ kind: TransportKind) async throws {
    for (text, steps) in Self.unfinished {
      let failure = try await kind.failure(
        .text(text) + steps + [.awaitEnd], TransportOptions(idleSeconds: 0.3))
      guard case .network(let reason) = failure else {
        Issue.record("\(text): \(String(describing: failure))")
        continue
      }
      if kind == .http {
        #expect(reason == "nothing came from the server for 0.3 s", "\(text): \(reason)")
      }
    }
  }

  @Test(arguments: TransportKind.allCases)
  func cutOffAnswerIsReportedAsALostConnection(_ kind: TransportKind) async throws {
    // Without a length, the end of the connection ends the body.
    for (text, steps) in Self.unfinished where text != Self.head + "\r\n{" {
      let failure = try await kind.failure(.text(text) + steps)
      guard case .network(let reason) = failure else {
        Issue.record("\(text): \(String(describing: failure))")
        continue
      }
      if kind == .http {
        #expect(reason == "the server closed the connection before its answer was whole")
      }
    }
  }

  @Test(arguments: TransportKind.allCases)
  func requestToADrippingServerFailsAfterTheTotalTime(_ kind: TransportKind) async throws {
    let drops = (0..<200).flatMap { _ in
      [LoopbackServer.Step.send([0x20]), .pause(seconds: 0.05)]
    }
    let failure = try await kind.failure(
      .text(Self.head + "Content-Length: 1000\r\n\r\n") + drops,
      TransportOptions(idleSeconds: 5, totalSeconds: 0.5))
    guard case .network(let reason) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    if kind == .http { #expect(reason == "the answer was not whole after 0.5 s") }
  }

  /// A former fault: a clock that was to measure such times ended the process.
  @Test(arguments: TransportKind.allCases, [Double.infinity, 1e300])
  func limitsMayBeInfinite(_ kind: TransportKind, seconds: Double) async throws {
    let server = try LoopbackServer { _ in .response("304 Not Modified") }
    let options = TransportOptions(idleSeconds: seconds, totalSeconds: seconds)
    #expect(try await kind.ask(server, options).status == 304)
  }

  @Test(arguments: TransportKind.allCases)
  func passwordChallengeIsReturnedAsAStatus401(_ kind: TransportKind) async throws {
    for challenge in ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"y\"", "Negotiate"] {
      let server = try LoopbackServer { _ in
        .response("401 Unauthorized", headers: ["WWW-Authenticate": challenge])
      }
      #expect(try await kind.ask(server).status == 401, "\(challenge)")
    }
  }

  @Test(arguments: TransportKind.allCases)
  func requestedWaitExtendsTheTimeoutOfARequest(
    _ kind: TransportKind
  ) async throws {
    let server = try LoopbackServer { _ in
      [.pause(seconds: 1.5)] + .response("304 Not Modified")
    }
    let watch = ReplicaRequest(
      number: 1, list: ModelServer.list, purpose: .watch(waitSeconds: 10),
      since: TransportKind.request.since)
    let options = TransportOptions(idleSeconds: 1, totalSeconds: 1)
    #expect(try await kind.transport(to: server.text, options).send(watch).status == 304)
  }
}
