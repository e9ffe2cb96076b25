import Foundation
import GRDB
import ListStore
import Testing

struct PruneTests {
  /// A list of five versions, a day apart; the last is from 2026-01-05.
  private static let fiveVersions = PreparedStore { harness in
    for number in 1...5 {
      try await harness.succeed(
        "commit", "l", "-", "--id", ".", "--at", "2026-01-0\(number)",
        input: #"["a\#(number)","b"]"#)
    }
  }

  private func withFiveVersions() async throws -> CommandLineHarness {
    try await Self.fiveVersions.harness()
  }

  @Test func thePlanHasReasonsAndChangesNothing() async throws {
    let harness = try await withFiveVersions()
    try await harness.succeed("tag", "l", "spring", "2")
    let before = harness.storeBytes()
    let lines = try await harness.succeed("prune", "l", "--keep-last", "2", "--dry-run").lines
    #expect(
      lines == [
        "remove  version 1: not among the newest 2",
        "keep    version 2: tagged spring",
        "keep    version 3: newer than version 2, which is kept",
        "keep    version 4: among the newest 2",
        "keep    version 5: the newest; among the newest 2",
        "l: would prune version 1; nothing was changed",
        "version 2 stays because of its tag spring; remove it with 'listsync tag -d l spring'",
      ])
    let json = try await harness.succeed(
      "prune", "l", "--keep-last", "2", "--dry-run", "--json"
    ).json()
    let document = try #require(json as? [String: Any])
    #expect(document["dry_run"] as? Bool == true && document["oldest"] as? Int == 2)
    #expect(document["pruned"] as? Int == 1 && document["record"] == nil)
    #expect(document["held_by"] as? [String] == ["spring"])
    let plan = try #require(document["plan"] as? [[String: Any]])
    #expect(plan.map { $0["from"] as? Int } == [1, 2, 3, 4, 5])
    #expect(plan.map { $0["keep"] as? Bool } == [false, true, true, true, true])
    #expect(plan[1]["reasons"] as? [String] == ["tagged spring"])
    #expect(harness.storeBytes() == before)
  }

  @Test func everyTagThatKeepsAVersionHasItsCommand() async throws {
    let harness = try await withFiveVersions()
    for tag in ["spring", "autumn"] { try await harness.succeed("tag", "l", tag, "2") }
    let lines = try await harness.succeed("prune", "l", "--keep-last", "2", "--dry-run").lines
    let commands = "'listsync tag -d l autumn' and 'listsync tag -d l spring'"
    #expect(
      lines.last
        == "version 2 stays because of its tags autumn, spring; remove them with \(commands)")
  }

  @Test func prunedVersionsAreReportedAndRecordedInTheLog() async throws {
    let harness = try await withFiveVersions()
    let said = try await harness.succeed("prune", "l", "--keep-last", "2", "--author", "ann").text
    #expect(said == "l: pruned versions 1 to 3; its oldest version is 4\n")
    let log = try await harness.succeed("log", "l").lines
    #expect(log.count == 3)
    let line = try #require(log.last)
    #expect(line.hasPrefix("versions 1 to 3 were pruned on 20"))
    #expect(line.hasSuffix(" by ann (keep-last 2)"))
    #expect(try await harness.succeed("log", "l", "-n", "1").lines.count == 1)
    try await harness.succeed("prune", "l", "--keep-last", "1")
    let both = try await harness.succeed("log", "l").lines
    #expect(both.count == 3 && both[1].hasPrefix("version 4 was pruned on 20"))
    #expect(both[1].hasSuffix("Z (keep-last 1)") && both[2] == line)
  }

  @Test func jsonLogEndsWithThePruningRecord() async throws {
    let harness = try await withFiveVersions()
    try await harness.succeed("prune", "l", "--keep-last", "2", "--author", "ann")
    for arguments in [["log", "l", "--json"], ["log", "l", "--item", "b", "--json"]] {
      let log = try #require(try await harness.run(arguments).json() as? [[String: Any]])
      #expect(log.dropLast().allSatisfy { $0["version"] != nil })
      let record = try #require(log.last?["pruned"] as? [String: Any])
      #expect(record["from"] as? Int == 1 && record["to"] as? Int == 3)
      #expect(record["author"] as? String == "ann" && record["rule"] as? String == "keep-last 2")
      #expect((record["chain"] as? String)?.count == 64)
    }
    let first = try await harness.succeed("log", "l", "-n", "1", "--json").json()
    #expect((first as? [[String: Any]])?.count == 1)
  }

  @Test func jsonOutputOfPruneContainsTheRecord() async throws {
    let harness = try await withFiveVersions()
    let json = try await harness.succeed("prune", "l", "--keep-last", "2", "--json").json()
    let document = try #require(json as? [String: Any])
    #expect(document["dry_run"] as? Bool == false && document["pruned"] as? Int == 3)
    let record = try #require(document["record"] as? [String: Any])
    #expect(record["oldest"] as? Int == 4 && record["author"] is NSNull)
    let again = try await harness.succeed("prune", "l", "--keep-last", "2", "--json").json()
    #expect((again as? [String: Any])?["pruned"] as? Int == 0)
  }

  @Test func pruningAgainReportsNothingToPrune() async throws {
    let harness = try await withFiveVersions()
    try await harness.succeed("prune", "l", "--keep-last", "2")
    let log = try await harness.succeed("log", "l").text
    for options in [[], ["--dry-run"]] {
      let outcome = try await harness.run(["prune", "l", "--keep-last", "2"] + options)
      #expect(outcome.exitCode == 0)
      #expect(outcome.lines.last == "l: nothing to prune; its oldest version is 4")
    }
    #expect(try await harness.succeed("log", "l").text == log)
  }

  @Test func prunedVersionsExitWith5AndTheOthersStayReadable() async throws {
    let harness = try await withFiveVersions()
    let kept = try await harness.succeed("delta", "l", "--since", "4").output
    let shown = try await harness.succeed("show", "l@2026-01-04").text
    try await harness.succeed("prune", "l", "--keep-last", "2")
    for arguments in [
      ["show", "l@3"], ["show", "l@2026-01-03"], ["show", "l@head~2"], ["diff", "l", "1"],
      ["delta", "l", "--since", "3"], ["delta", "l", "--since", "head", "--to", "2"],
      ["tag", "l", "a", "1"], ["replay", "l", "--from", "1"],
    ] {
      expectRefusal(
        try await harness.run(arguments), code: 5, says: ["was pruned; it has 4 to 5"])
    }
    let again = try await harness.succeed("delta", "l", "--since", "4").text
    #expect(
      again.replacing(#""oldest":4"#, with: #""oldest":1"#) == String(decoding: kept, as: UTF8.self)
    )
    #expect(try await harness.succeed("show", "l@2026-01-04").text == shown)
    try await harness.succeed("delta", "l", "--since", "0")
    let replay = try await harness.succeed("replay", "l", "--check")
    #expect(replay.errorText.hasPrefix("checked: 2 steps replayed"))
    try await harness.succeed("verify")
    let lists = try await harness.succeed("lists", "--json").json() as? [[String: Any]]
    #expect(lists?.first?["oldest"] as? Int == 4)
  }

  @Test func pruneByAgeCountsFromNowAndRefusesFutureVersions() async throws {
    let harness = try await withFiveVersions()
    try await harness.succeed("prune", "l", "--keep-within", "9999y")
    try await harness.succeed("commit", "l", "-", "--at", "2999-01-01", input: "[\"z\"]")
    let before = try await harness.succeed("log", "l", "--json").text
    for options in [["--keep-within", "1h"], ["--keep-within", "1h", "--dry-run"]] {
      expectRefusal(
        try await harness.run(["prune", "l"] + options), code: 1,
        says: ["version 6 is dated 2999-01-01", "--keep-last"])
    }
    #expect(try await harness.succeed("log", "l", "--json").text == before)
  }

  @Test func pruningByAgeAfterAClockLeapIsRefusedUnlessDatesAreTrusted() async throws {
    let harness = try await withFiveVersions()
    let before = try await harness.succeed("log", "l", "--json").text
    for options in [[], ["--keep-last", "2"], ["--dry-run"]] {
      expectRefusal(
        try await harness.run(["prune", "l", "--keep-within", "1h"] + options), code: 1,
        says: [
          "nothing was committed after version 5 from 2026-01-05 to 20", "longer than 1h",
          "--trust-dates",
        ])
    }
    #expect(try await harness.succeed("log", "l", "--json").text == before)
    let said = try await harness.succeed("prune", "l", "--keep-within", "1h", "--trust-dates")
    #expect(said.text == "l: pruned versions 1 to 4; its oldest version is 5\n")
    #expect(try await harness.succeed("log", "l").lines.last?.hasSuffix("trust-dates)") == true)
    // Nothing is left to prune, so nothing is refused.
    try await harness.succeed("prune", "l", "--keep-within", "1h")
  }

  @Test(arguments: [
    (["prune", "l"], "name what to keep"),
    (["prune", "l", "--keep-last", "1", "--trust-dates"], "only --keep-within uses dates"),
    (["prune", "l", "--keep-last", "0"], "1 or more"),
    (["prune", "l", "--keep-within", "soon"], "write a length of time as 12h"),
    (["prune", "l", "--keep-last", "1", "--dry-run", "--vacuum"], "frees no space"),
    (["prune", "--keep-last", "1"], "Missing"),
  ])
  func invalidArgumentsAreAUsageError(_ arguments: [String], says: String) async throws {
    let harness = try await withFiveVersions()
    expectRefusal(try await harness.run(arguments), code: 2, says: [says])
  }

  @Test func pruneOfAMissingListIsRefused() async throws {
    let harness = try await withFiveVersions()
    expectRefusal(
      try await harness.run("prune", "m", "--keep-last", "1"), code: 3, says: ["there are: l"])
  }

  @Test func vacuumShrinksTheFileAndKeepsItsSettings() async throws {
    let harness = try CommandLineHarness()
    for number in 1...3 {
      // Texts that hardly compress.
      let items = (0..<400).map { index in
        let words = (0..<30).map { (index * 31 + $0 * 7919 + number) &* 0x9E37_79B9 }
        return #"{"id":"\#(index)","text":"\#(words.map { String($0, radix: 36) }.joined())"}"#
      }
      try await harness.succeed("commit", "l", "-", input: "[\(items.joined(separator: ","))]")
    }
    let shown = try await harness.succeed("show", "l").text
    let outcome = try await harness.succeed("prune", "l", "--keep-last", "1", "--vacuum", "--json")
    let document = try #require(try outcome.json() as? [String: Any])
    let bytes = try ["bytes_before", "bytes_after"].map { try #require(document[$0] as? Int) }
    #expect(bytes[1] * 2 < bytes[0])
    #expect(harness.storeBytes().map(\.count) == [bytes[1], 0])
    let address = harness.url("listsync.db").path
    let settings = try await DatabaseQueue(path: address).read { db in
      try ["application_id", "user_version", "journal_mode"].map {
        try String.fetchOne(db, sql: "PRAGMA \($0)")
      }
    }
    #expect(settings == ["1280529458", "1", "wal"])
    #expect(try await harness.succeed("show", "l").text == shown)
    try await harness.succeed("verify")
    let lines = try await harness.succeed("prune", "l", "--keep-last", "1", "--vacuum").lines
    #expect(lines.first == "l: nothing to prune; its oldest version is 3")
    #expect(lines.last?.hasPrefix("the store went from ") == true)
    #expect(lines.last?.hasSuffix(" to \(bytes[1]) bytes") == true)
  }
}
