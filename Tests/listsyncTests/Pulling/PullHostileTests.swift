import Foundation
import Gzip
import ListChanges
import ListDocuments
import ListModel
import TestSupport
import Testing

/// `listsync pull` from servers with wrong answers.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct PullHostileTests {
  /// Runs a pull from a server with given replies.
  private func pull(
    _ words: [String] = [], environment: [String: String] = [:], isMeasured: Bool = false,
    _ reply: @escaping @Sendable (String) -> [LoopbackServer.Step]
  ) async throws -> (outcome: CommandLineHarness.Outcome, requestCount: Int, files: [String]) {
    let harness = try CommandLineHarness()
    let server = try LoopbackServer(reply)
    let outcome = try await harness.run(
      ["pull", "parks", server.text] + words, environment: environment, isMeasured: isMeasured)
    return (outcome, server.requests.count, try harness.fileNames())
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Ty",
    "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775806\r\n\r\n{",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", "",
  ])
  func truncatedAnswersAreRetriedThenReported(text: String) async throws {
    let (outcome, requestCount, files) = try await pull { _ in .text(text) }
    expectRefusal(outcome, code: 8, says: ["gave up after 4 tries", "Your copy is unchanged"])
    #expect(requestCount == 4)
    #expect(files.isEmpty)
  }

  @Test func aChallengeForAPasswordIsReported() async throws {
    let (outcome, requestCount, files) = try await pull { _ in
      .response("401 Unauthorized", headers: ["WWW-Authenticate": "Basic realm=\"x\""])
    }
    expectRefusal(outcome, code: 1, says: ["the server wants a valid token", "LISTSYNC_TOKEN"])
    #expect(requestCount == 1 && files.isEmpty)
  }

  /// Former fault: the error did not name the new address.
  @Test func aRedirectionIsNotFollowedAndNamesTheNewAddress() async throws {
    let (outcome, _, files) = try await pull { _ in
      .response(
        "301 Moved Permanently",
        headers: ["Location": "https://b.example/lists/v1/lists/parks/delta?since=0"])
    }
    expectRefusal(
      outcome, code: 1,
      says: ["status 301: it has moved to https://b.example/lists\n", "Name the new address"])
    #expect(files.isEmpty)
  }

  @Test func timeoutLimitsAPullForEveryKindOfSlowServer() async throws {
    let dripping = (0..<600).flatMap { _ in
      [LoopbackServer.Step.send([0x20]), .pause(seconds: 0.1)]
    }
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
    for reply in [.hang(), .hang(after: head), .text(head) + dripping] {
      let (outcome, _, files) = try await pull(["--timeout", "1"]) { _ in reply }
      expectRefusal(
        outcome, code: 8, says: ["the pull took longer than 1 second", "--timeout SECONDS"])
      #expect(files.isEmpty)
    }
  }

  @Test func pullFailsAtOnceOnARetryDelayAboveItsTimeout() async throws {
    for (seconds, words) in [("601", []), ("7200", []), ("8", ["--timeout", "7"])] {
      let (outcome, requestCount, _) = try await pull(words) { _ in
        .response("503 Service Unavailable", headers: ["Retry-After": seconds])
      }
      expectRefusal(outcome, code: 7, says: ["asks to wait \(seconds) s", "--timeout SECONDS"])
      #expect(requestCount == 1)
    }
  }

  @Test func pullStopsAfterTooManyVersionsWithoutChanges() async throws {
    let note = CommitNote(time: Timestamp(millisecondsSince1970: 0))
    let states = (1...200).reduce(into: [ListState.zero]) { states, version in
      let header = VersionHeader(
        version: Version(version), note: note, root: .empty,
        previous: states[version - 1].header?.chain ?? .zero)
      states.append(ListState(header, count: 0))
    }
    let (outcome, requestCount, _) = try await pull { head in
      let since = head.components(separatedBy: "since=")[1].prefix { $0 != "&" }
      let version = Int(since.prefix { $0 != "-" }) ?? 0
      let page = Delta(
        list: ListName("parks"), from: states[version], to: states[version + 1],
        oldest: Version(1), changes: Snapshot.empty.changes(to: .empty), more: true)
      return .response(
        "200 OK", headers: ["Content-Type": "application/json"],
        body: DeltaDocument(page).encoded())
    }
    #expect(outcome.exitCode == 6, "\(outcome)")
    #expect(outcome.errorText.contains("101 answers in a row bring no change"))
    #expect(requestCount == 202)
  }

  @Test func byteLimitBoundsTheMemoryForAnyCompressedAnswer() async throws {
    // 1 GiB of blanks in gzip members of 16 MiB; 256 MB of zeros without compression.
    let compressor = GzipCompressor()
    let member =
      compressor.compress([UInt8](repeating: 0x20, count: 16 << 20)) + compressor.finish()
    let packed = [UInt8]((0..<64).map { _ in member }.joined())
    let low = ["LISTSYNC_MAX_COMMIT_BYTES": "1000000"]
    let endless: [LoopbackServer.Step] = [.sendForever([UInt8](repeating: 0x20, count: 1 << 20))]
    let replies: [[LoopbackServer.Step]] = [
      .response("200 OK", headers: ["Content-Encoding": "gzip"], body: packed),
      .text("HTTP/1.1 200 OK\r\n\r\n") + endless,
    ]
    for reply in replies {
      let (outcome, requestCount, _) = try await pull(environment: low, isMeasured: true) { _ in
        reply
      }
      expectRefusal(
        outcome, code: 1, says: ["more than 1000000 bytes", "LISTSYNC_MAX_COMMIT_BYTES=NUMBER"])
      #expect(requestCount == 1)
      // The unoptimised program itself needs about 60 MB.
      let peak = try #require(outcome.peakByteCount)
      #expect(peak < 120_000_000, "\(peak) bytes")
    }
  }

  @Test func pullStopsAnAnswerAtTheLimitOfTheTransport() async throws {
    let blanks: [LoopbackServer.Step] = [.sendForever([UInt8](repeating: 0x20, count: 1 << 20))]
    let (outcome, requestCount, files) = try await pull(isMeasured: true) { _ in
      .text("HTTP/1.1 200 OK\r\n\r\n") + blanks
    }
    expectRefusal(
      outcome, code: 1, says: ["more than \(256 << 20) bytes", "LISTSYNC_MAX_COMMIT_BYTES=NUMBER"])
    #expect(requestCount == 1 && files.isEmpty)
    let peak = try #require(outcome.peakByteCount)
    #expect(peak < 800_000_000, "\(peak) bytes")
  }

  @Test func textsOfTheServerCannotSteerTheTerminal() async throws {
    let problem = #"{"title":"x","detail":"a\u001b[31m b\u0007 c\u202e d\u200b"}"#
    let (outcome, _, _) = try await pull { _ in
      .response(
        "403 Forbidden", headers: ["Content-Type": "application/problem+json"],
        body: Array(problem.utf8))
    }
    expectRefusal(outcome, code: 1, says: ["the token does not allow this", "\\u{1b}[31m"])
    #expect(!outcome.errorText.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
  }
}
