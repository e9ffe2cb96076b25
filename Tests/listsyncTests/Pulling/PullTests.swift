import Foundation
import TestSupport
import Testing

/// `listsync pull` from the built server.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct PullTests {
  @Test func firstPullBringsTheListAndLaterPullsOnlyTheChanges() async throws {
    let harness = try await CommandLineHarness.withParks()
    let (server, address) = try await harness.serve()
    let show = try await harness.succeed("show", "parks").text
    let first = try await harness.succeed("pull", "parks", address, "-o", "parks.json")
    #expect(first.lines[0].hasPrefix("parks 0-000000000000 → 2-"))
    #expect(first.lines[0].hasSuffix(": 5 inserted"))
    #expect(try String(contentsOf: harness.url("parks.json"), encoding: .utf8) == show)

    let nothing = try await harness.succeed("pull", "parks", address)
    #expect(nothing.text.contains(": up to date; 5 items"))

    try await harness.succeed("edit", "parks", "--remove", "arches")
    let diff = try await harness.succeed("diff", "parks", "2", "3").text
    let second = try await harness.succeed("pull", "parks", address, "-o", "parks.json")
    #expect(second.text == diff)
    #expect(
      try String(contentsOf: harness.url("parks.json"), encoding: .utf8)
        == (try await harness.succeed("show", "parks").text))
    #expect(try await server.end(by: SIGTERM) == 0)
  }

  /// The delta is printed even when nothing is new.
  @Test func jsonOptionPrintsADeltaAndOutputToADashPrintsTheList() async throws {
    let harness = try await CommandLineHarness.withParks()
    let (server, address) = try await harness.serve()
    let first = try await harness.succeed("pull", "parks", address, "--json")
    let document = try #require(try first.json() as? [String: Any])
    #expect(document["format"] as? String == "list-delta/1")
    #expect((document["inserted"] as? [Any])?.count == 5)
    let second = try await harness.succeed("pull", "parks", address, "--json")
    let empty = try #require(try second.json() as? [String: Any])
    #expect((empty["inserted"] as? [Any])?.isEmpty == true)
    let from = try #require(empty["from"] as? [String: Any])
    let to = try #require(document["to"] as? [String: Any])
    #expect(from["cursor"] as? String == to["cursor"] as? String)
    let list = try await harness.succeed("pull", "parks", address, "-o", "-")
    #expect(list.text == (try await harness.succeed("show", "parks").text))
    #expect(try await server.end(by: SIGTERM) == 0)
  }

  @Test func watchShowsEveryCommitThroughAServerRestartUntilInterrupted() async throws {
    let harness = try await CommandLineHarness.withParks()
    let (server, address) = try await harness.serve()
    let pull = try RunningProgram(
      "listsync", ["pull", "parks", address, "--watch", "--json", "-o", "copy.json"],
      in: harness.folder)
    try await pull.wait { $0.output.split(separator: "\n").count == 1 }
    try await harness.succeed("edit", "parks", "--remove", "arches")
    try await pull.wait { $0.output.split(separator: "\n").count == 2 }

    _ = try await server.end(by: SIGKILL)
    try await harness.succeed("edit", "parks", "--remove", "yosemite")
    let port = try #require(address.split(separator: ":").last.flatMap { Int($0) })
    let (again, _) = try await harness.serve(port: port)
    try await pull.wait { $0.output.split(separator: "\n").count == 3 }
    #expect(pull.errorText.contains("trying again in"))

    #expect(try await pull.end(by: SIGINT) == 130)
    #expect(
      try String(contentsOf: harness.url("copy.json"), encoding: .utf8)
        == (try await harness.succeed("show", "parks").text))
    let nothing = try await harness.succeed("pull", "parks", address)
    #expect(nothing.text.contains(": up to date; 3 items"))
    #expect(try await again.end(by: SIGTERM) == 0)
  }

  @Test func pullAfterPruningOrARestoreSaysSoAndHasTheListOfTheServer() async throws {
    let harness = try await CommandLineHarness.withParks()
    let (server, address) = try await harness.serve()
    try await harness.succeed("pull", "parks", address)
    try await harness.succeed("edit", "parks", "--remove", "arches")
    try await harness.succeed("prune", "parks", "--keep-last", "1")
    let pruned = try await harness.succeed("pull", "parks", address)
    #expect(pruned.errorText.contains("started over: the changes since the version of the copy"))
    #expect(pruned.text.contains(": 1 removed"))
    #expect(try await server.end(by: SIGTERM) == 0)

    let other = try CommandLineHarness()
    try await other.succeed("commit", "parks", "-", "--format", "ndjson", input: #"{"id":"zion"}"#)
    let port = try #require(address.split(separator: ":").last.flatMap { Int($0) })
    let (restored, _) = try await other.serve(port: port)
    let diverged = try await harness.succeed("pull", "parks", address, "-o", "list.json")
    #expect(diverged.errorText.contains("not in the server's history"))
    #expect(
      try String(contentsOf: harness.url("list.json"), encoding: .utf8)
        == (try await other.succeed("show", "parks").text))
    #expect(try await restored.end(by: SIGTERM) == 0)
  }

  @Test func pullWithProveFollowsOneHistoryAndRefusesEveryOther() async throws {
    let harness = try await CommandLineHarness.withParks()
    let (server, address) = try await harness.serve()
    try await harness.succeed("pull", "parks", address, "--prove")
    for id in ["arches", "zion", "yosemite"] {
      try await harness.succeed("edit", "parks", "--remove", id)
    }
    let proved = try await harness.succeed("pull", "parks", address, "--prove")
    #expect(proved.text.contains(": 3 removed"))
    let kept = try Data(contentsOf: harness.url("parks.replica"))
    try await harness.succeed("commit", "parks", "-", input: "[]")
    try await harness.succeed("commit", "parks", "-", input: #"[{"id":"zion"}]"#)
    try await harness.succeed("prune", "parks", "--keep-last", "1")
    expectRefusal(
      try await harness.run("pull", "parks", address, "--prove"), code: 5,
      says: ["the server no longer has the versions that would prove", "without --prove"])
    #expect(try await server.end(by: SIGTERM) == 0)

    let other = try CommandLineHarness()
    try await other.succeed("commit", "parks", "-", "--format", "ndjson", input: #"{"id":"zion"}"#)
    let port = try #require(address.split(separator: ":").last.flatMap { Int($0) })
    let (forged, _) = try await other.serve(port: port)
    expectRefusal(
      try await harness.run("pull", "parks", address, "--prove"), code: 5,
      says: ["the server has rewritten the list's history", "shows what was there: keep it"])
    #expect(try Data(contentsOf: harness.url("parks.replica")) == kept)
    #expect(try await forged.end(by: SIGTERM) == 0)
  }

  @Test func pullOfAStoreWithTokensNeedsATokenFromTheEnvironment() async throws {
    let harness = try await CommandLineHarness.withParks()
    let made = try await harness.succeed("token", "create", "app", "--read", "parks")
    let token = try #require(made.text.split(separator: "\n").first { $0.hasPrefix("lst_") })
    let (server, address) = try await harness.serve()
    let without = try await harness.run("pull", "parks", address)
    expectRefusal(without, code: 1, says: ["token", "LISTSYNC_TOKEN"])
    let with = try await harness.run(
      "pull", "parks", address, environment: ["LISTSYNC_TOKEN": " \(token)\n"])
    #expect(with.exitCode == 0)
    let broken = try await harness.run(
      "pull", "parks", address, environment: ["LISTSYNC_TOKEN": "a b"])
    expectRefusal(broken, code: 2, says: ["token", "LISTSYNC_TOKEN"])
    #expect(try await server.end(by: SIGTERM) == 0)
  }

  @Test func failedPullHasANameAndAnExitCodeAndKeepsTheCopy() async throws {
    let harness = try await CommandLineHarness.withParks()
    let (server, address) = try await harness.serve()
    expectRefusal(
      try await harness.run("pull", "lakes", address), code: 3, says: ["no list 'lakes'"])
    #expect(try !harness.fileNames().contains("lakes.replica"))
    for bad in ["lists.example", "http://u:p@host", "ftp://host"] {
      expectRefusal(try await harness.run("pull", "parks", bad), code: 2, says: ["http://"])
    }
    expectRefusal(
      try await harness.run("pull", "parks", address, "-o", "-", "--json"), code: 2,
      says: ["-o -"])
    try await harness.succeed("pull", "parks", address)
    expectRefusal(
      try await harness.run("pull", "parks", address + "/x", "--copy", "parks.replica"), code: 1,
      says: ["a copy of parks at \(address)", "--copy"])
    expectRefusal(
      try await harness.run("pull", "parks", address, "--copy", "listsync.db"), code: 1,
      says: ["not the file of a replica", "--copy"])
    expectRefusal(
      try await harness.run("pull", "parks", address, "--copy", "none/x"), code: 8,
      says: ["cannot open none/x"])
    #expect(try await server.end(by: SIGTERM) == 0)
    let gone = try await harness.run("pull", "parks", address)
    expectRefusal(gone, code: 8, says: ["gave up after 4 tries", "Your copy is unchanged"])
  }
}
