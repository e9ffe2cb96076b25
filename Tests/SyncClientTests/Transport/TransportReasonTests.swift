import Foundation
import NIOSSL
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
    #expect(
      try await reason("http://127.0.0.1:1") == "the connection failed: Connection refused")
    #expect(
      try await reason("http://localhost:1")
        == "no connection to localhost, port 1: Connection refused")
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

  @Test func refusedCertificateIsReportedAsTheReason() {
    for (error, words) in [
      (NIOSSLExtraError.failedToValidateHostname as any Error, "it is for another host"),
      (NIOSSLError.unableToValidateCertificate, "it is for another host"),
    ] {
      #expect(Unavailability(transport: error) == .untrusted(reason: words))
    }
  }

  @Test func failedHandshakeIsNotReportedAsACertificateError() {
    for error in [NIOSSLError.handshakeFailed(.syscallError), .uncleanShutdown] {
      let reason = "\(Unavailability(transport: error))"
      #expect(reason.hasPrefix("no secure connection"), "\(reason)")
    }
  }
}
