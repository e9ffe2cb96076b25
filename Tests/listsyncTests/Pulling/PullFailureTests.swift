import Foundation
import SyncClient
import TestSupport
import Testing

@testable import listsync

/// What a pull that gave up advises.
struct PullFailureTests {
  private func failure(_ cause: Unavailability) throws -> Failure {
    try #require(Failure(ofPull: ReplicaError.gaveUp(tryCount: 4, cause)))
  }

  /// Former fault: the advice was to try again later, which a cache with the head of a former
  /// history makes no better.
  @Test func publicationThatIsBehindMayComeFromACacheOfAFormerHistory() throws {
    let behind = try failure(.behind(reason: "whole/2-0f63.json is missing"))
    #expect(behind.code == .busy && behind.message.contains("whole/2-0f63.json is missing"))
    let advice = try #require(behind.advice)
    for words in ["max-age", "files of a former history", "emptied", "the web server itself"] {
      #expect(advice.contains(words))
    }
    #expect(!advice.contains("later"))
  }

  @Test func serverThatCannotAnswerNowIsAskedLater() throws {
    let busy = try failure(.status(503, detail: nil))
    #expect(busy.code == .busy && busy.advice == "Your copy is unchanged: try again later.")
  }

  @Test func usageErrorsRepeatNoSecret() async throws {
    let harness = try CommandLineHarness()
    for words in [
      ["pull", "parks"], ["pull", "parks", "http://h", "--timeout", "0"],
      ["pull", "http://u:secret@h", "parks"], ["pull", "parks", "http://u:secret@h"],
      ["pull", "parks", "http://h?token=secret"], ["pull", "no list", "http://h"],
    ] {
      let outcome = try await harness.run(words)
      #expect(outcome.exitCode == 2, "\(words): \(outcome)")
      #expect(!outcome.errorText.contains("secret"), "\(outcome.errorText)")
    }
  }

  /// The library is loaded by a pull alone: other verbs start without it.
  @Test func machineWithoutLibcurlIsToldWhatToInstall() async throws {
    let harness = try CommandLineHarness()
    let folder = harness.url("libraries")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for name in ["libcurl.so.4", "libcurl-gnutls.so.4"] {
      try Data().write(to: folder.appendingPathComponent(name))
    }
    let environment = ["LD_LIBRARY_PATH": folder.path]
    #expect(try await harness.run(["version"], environment: environment).exitCode == 0)
    let outcome = try await harness.run(
      ["pull", "parks", "http://127.0.0.1:1"], environment: environment)
    expectRefusal(outcome, code: 1, says: ["has no libcurl", "apt install libcurl4"])
  }

  /// Tokens go to the server itself, and nobody else's password goes there.
  @Test func proxiesAndPasswordsOfTheEnvironmentAreNotUsed() async throws {
    let harness = try CommandLineHarness()
    let server = try LoopbackServer { _ in .response("404 Not Found") }
    try Data("default login me password secret\n".utf8).write(to: harness.url(".netrc"))
    let proxy = "http://127.0.0.1:1"
    let outcome = try await harness.run(
      ["pull", "parks", server.text],
      environment: ["http_proxy": proxy, "all_proxy": proxy, "HOME": harness.folder.path])
    expectRefusal(outcome, code: 3, says: ["the server has no list 'parks'"])
    #expect(server.requests.allSatisfy { !$0.lowercased().contains("authorization") })
  }
}
