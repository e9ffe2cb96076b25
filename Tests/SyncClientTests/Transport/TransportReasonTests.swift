import Foundation
import SyncClient
import TestSupport
import Testing

@testable import SyncClientHTTP

/// Messages for missing answers: plain words, without the name of a framework.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct TransportReasonTests {
  private func reason(_ address: String) async throws -> String {
    do {
      _ = try await TransportKind.http.transport(to: address).send(TransportKind.request)
      return "an answer"
    } catch let error as Unavailability {
      return "\(error)"
    }
  }

  @Test func refusedConnectionAndUnknownHostHaveDifferentReasons() async throws {
    for host in ["127.0.0.1", "localhost"] {
      #expect(
        try await reason("http://\(host):1")
          == "no connection to \(host), port 1: Connection refused")
    }
    // An invalid name that needs no resolver: one of its labels is too long.
    let name = String(repeating: "x", count: 64) + ".invalid"
    #expect(try await reason("http://\(name)") == "no host called '\(name)' was found")
  }

  @Test func reasonNamesAServerThatDoesNotSpeakHTTP() async throws {
    for text in ["SSH-2.0-OpenSSH_9.2\r\n", "HTTP/9.9 200 OK\r\n\r\n", "\u{0}\u{1}\r\n\r\n"] {
      let failure = try await TransportKind.http.failure(.text(text))
      guard case .network(let reason) = failure else {
        Issue.record("\(text): \(String(describing: failure))")
        continue
      }
      #expect(reason.hasPrefix("the answer is not HTTP"), "\(reason)")
    }
  }

  @Test func failureOfATransferHasAReasonInPlainWords() {
    let table: [(code: CInt, osError: CInt, reason: Unavailability)] = [
      (28, 0, .network(reason: "no connection to a.example, port 443 within 10 s")),
      (35, 0, .network(reason: "no secure connection: words")),
      (56, 0, .network(reason: "the connection failed: words")),
      (56, ECONNRESET, .network(reason: "the connection failed: Connection reset by peer")),
      (1, 0, .network(reason: "the answer is not HTTP: words")),
      (18, ECONNRESET, .cutOff), (52, 0, .cutOff),
    ]
    for (code, osError, expected) in table {
      let failure = TransferFailure(
        code: code, osError: osError, isChainTrusted: true, text: "words", host: "a.example",
        port: 443)
      #expect(Unavailability(failure) == expected, "\(code)")
    }
  }
}
