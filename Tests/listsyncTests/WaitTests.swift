import Foundation
import GRDB
import TestSupport
import Testing

/// Waiting for another process's write, and exit code 7.
@Suite struct WaitTests {
  /// Another connection that is writing to the store.
  private static func writer(on harness: CommandLineHarness) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let writer = try DatabaseQueue(
      path: harness.url("listsync.db").path, configuration: configuration)
    try writer.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    return writer
  }

  @Test func verbBlockedByAnotherWriterExitsWith7AndSaysWhatToDo() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("tag", "parks", "spring", "1")
    try await harness.succeed("bundle", "create", "parks", "-o", "parks.bundle")
    try harness.write(#"{"id":"acadia"}"#, to: "acadia.json")
    let fixture = try RepositoryFixture()
    try fixture.load(
      FixtureCommit("", .write("l.json", "[]")),
      FixtureCommit("", .write("l.json", #"[{"id":"a"}]"#)))
    let verbs = [
      ["edit", "parks", "--put", "acadia.json"], ["edit", "parks", "--remove", "zion"],
      ["tag", "parks", "summer", "2"], ["tag", "parks", "--delete", "spring"],
      ["prune", "parks", "--keep-last", "1"], ["bundle", "apply", "parks.bundle", "--as", "copy"],
      ["import-git", fixture.path, "l.json"],
      ["commit", "parks", "acadia.json", "--format", "ndjson"],
    ]
    let log = try await harness.succeed("log", "parks", "--json").text
    let writer = try Self.writer(on: harness)
    for verb in verbs {
      let outcome = try await harness.run(verb, environment: ["LISTSYNC_WAIT": "0"])
      expectRefusal(
        outcome, code: 7,
        says: [
          "another process is writing to the store", "Try again, or wait longer", "LISTSYNC_WAIT",
        ])
    }
    try await writer.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    #expect(try await harness.succeed("log", "parks", "--json").text == log)
    for verb in verbs {
      #expect(
        try await harness.run(verb, environment: ["LISTSYNC_WAIT": "0"]).exitCode == 0, "\(verb)")
    }
  }

  @Test func verbWaitsAsLongAsConfiguredAndContinuesAsSoonAsItCan() async throws {
    let harness = try await CommandLineHarness.withParks()
    let writer = try Self.writer(on: harness)
    async let outcome = harness.run(
      ["edit", "parks", "--remove", "zion"], environment: ["LISTSYNC_WAIT": "\(Hang.minutes * 60)"])
    try await Task.sleep(for: .milliseconds(400))
    try await writer.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    #expect(try await outcome.exitCode == 0)
    #expect(try await harness.succeed("verify").text.contains("3 versions"))
  }
}
