import Foundation
import GRDB
import TestSupport
import Testing

/// `verify --deep`, `backup` and `stats`.
@Suite(.serialized) struct UpkeepTests {
  @Test func deepVerificationReportsComputedRoots() async throws {
    let harness = try await CommandLineHarness.withParks()
    let lines = try await harness.succeed("verify", "--deep").lines
    #expect(lines.count == 1)
    #expect(
      lines[0].hasPrefix("parks: 2 versions, every root, computed again, and the chain match;"))
  }

  @Test func verificationAtEitherDepthFindsATagOfAMissingVersion() async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.change("INSERT INTO tags VALUES (1, 'spring', 9, 0, 0)")
    for flags in [[], ["--deep"]] {
      expectRefusal(
        try await harness.run(["verify"] + flags), code: 6,
        says: ["parks version 9: a tag names it", "spring", "restore the store from a backup"])
    }
  }

  @Test func longCommitsAndBundlesAreCompacted() async throws {
    let harness = try await CommandLineHarness.withParks()
    /// Of the lists after the one of parks.
    func segmentCounts() throws -> [Int] {
      let queue = try DatabaseQueue(path: harness.url("listsync.db").path)
      return try queue.read {
        try Int.fetchAll(
          $0,
          sql: """
            SELECT count(*) FROM segments WHERE segment_id >> 32 > 1
            GROUP BY segment_id >> 32 ORDER BY segment_id >> 32
            """)
      }
    }
    for value in 0..<3 {
      let lines = (0..<5000).map { #"{"id":"i\#($0)","value":\#(value)}"# }
      try harness.write(lines.joined(separator: "\n"), to: "long.ndjson")
      try await harness.succeed("commit", "long", "long.ndjson")
      #expect(try segmentCounts() == [1])
    }
    try await harness.succeed("bundle", "create", "long", "-o", "long.bundle")
    try await harness.succeed("bundle", "apply", "long.bundle", "--as", "other")
    #expect(try segmentCounts() == [1, 1])
    try await harness.succeed("edit", "long", "--put", "-", input: #"{"id":"i0","value":0}"#)
    #expect(try segmentCounts() == [2, 1])
    let text = try await harness.succeed("compact", "long").text
    #expect(text == "long: 2 segments merged\n")
    #expect(try await harness.succeed("compact", "long").text == "long: no segments merged\n")
    let json = try await harness.succeed("compact", "long", "--json").json() as? [String: Any]
    #expect((json?["lists"] as? [[String: Any]])?.first?["merged"] as? Int == 0)
    try await harness.succeed("verify", "--deep")
  }

  @Test func backupIsAStoreWithTheSameCursors() async throws {
    let harness = try await CommandLineHarness.withParks()
    let outcome = try await harness.succeed("backup", "copy.db")
    #expect(outcome.text.hasPrefix("copy.db: "))
    #expect(outcome.text.hasSuffix(" kB, 1 list, 2 versions, verified\n"))
    #expect(try harness.fileNames() == ["copy.db", "listsync.db"])
    for verb in [["log", "parks", "--json"], ["lists", "--json"], ["show", "parks@1"]] {
      let copy = try await harness.run(verb + ["--store", "copy.db"])
      #expect(copy.exitCode == 0)
      #expect(copy.output == (try await harness.run(verb)).output)
    }
    #expect(try harness.fileNames() == ["copy.db", "listsync.db"])
  }

  @Test func jsonOutputOfBackupDescribesTheCopy() async throws {
    let harness = try await CommandLineHarness.withParks()
    let document = try #require(
      try await harness.succeed("backup", "copy.db", "--json").json() as? [String: Any])
    #expect(document["file"] as? String == "copy.db")
    let size = try Data(contentsOf: harness.url("copy.db")).count
    #expect(document["bytes"] as? Int == size)
    let lists = try #require(document["verified"] as? [[String: Any]])
    #expect(lists.map { $0["list"] as? String } == ["parks"])
    #expect(lists.map { $0["versions"] as? Int } == [2])
    #expect((document["faults"] as? [Any])?.isEmpty == true)
  }

  @Test func backupReplacesAFileOnlyWithForce() async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.write("precious", to: "copy.db")
    expectRefusal(
      try await harness.run("backup", "copy.db"), code: 1,
      says: ["copy.db is there already", "add --force"])
    #expect(try String(contentsOf: harness.url("copy.db"), encoding: .utf8) == "precious")
    try await harness.succeed("backup", "copy.db", "--force")
    try await harness.succeed("backup", "--force", "copy.db")
    try await harness.succeed("verify", "--store", "copy.db")
    #expect(try harness.fileNames() == ["copy.db", "listsync.db"])
  }

  @Test func backupNeverReplacesItsOwnStoreOrAStoreWithAWriteAheadLog() async throws {
    let harness = try await CommandLineHarness.withParks()
    let bytes = harness.storeBytes()
    expectRefusal(
      try await harness.run("backup", "--force", "./listsync.db"), code: 1,
      says: ["it is the store itself"])
    #expect(harness.storeBytes() == bytes)
    try harness.write("", to: "copy.db-wal")
    for flags in [[], ["--force"]] {
      expectRefusal(
        try await harness.run(["backup", "copy.db"] + flags), code: 1,
        says: ["copy.db is not replaced: its log copy.db-wal is there", "Name another file"])
    }
  }

  @Test func backupOfADamagedStoreExitsWith6AndCreatesNoFile() async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.change("UPDATE versions SET message = 'Autumn update' WHERE version = 2")
    expectRefusal(
      try await harness.run("backup", "copy.db"), code: 6,
      says: ["the chain of version 2 of parks does not fit", "no backup was made"])
    let outcome = try await harness.run("backup", "copy.db", "--json")
    let document = try #require(try outcome.json() as? [String: Any])
    #expect(outcome.exitCode == 6 && document["file"] is NSNull)
    #expect((document["faults"] as? [Any])?.count == 1)
    #expect(try harness.fileNames() == ["listsync.db"])
  }

  @Test func backupToAnImpossiblePathExitsWith8() async throws {
    let harness = try await CommandLineHarness.withParks()
    expectRefusal(
      try await harness.run("backup", "nowhere/copy.db"), code: 8,
      says: ["cannot open nowhere/copy.db"])
    #expect(try harness.fileNames() == ["listsync.db"])
  }

  /// A former fault: the error named the store, which is only read.
  @Test func backupUnderALimitOfFileSizesNamesItsFile() async throws {
    let harness = try await CommandLineHarness.withParks()
    let command = "ulimit -f 100; trap '' XFSZ; exec \"$0\" backup copy.db"
    let outcome = try await harness.run(
      ["-c", command, BuiltProgram.url("listsync").path], program: URL(fileURLWithPath: "/bin/sh"))
    expectRefusal(
      outcome, code: 8,
      says: ["listsync: cannot write copy.db: ", "No backup was made", "ulimit -f"])
    #expect(!outcome.errorText.contains("listsync.db"))
    #expect(try harness.lastingFileNames() == ["listsync.db"])
  }

  @Test func backupOfAMissingStoreIsRefused() async throws {
    let harness = try CommandLineHarness()
    expectRefusal(
      try await harness.run("backup", "copy.db"), code: 1, says: ["there is no store at"])
    #expect(try harness.fileNames() == [])
  }

  @Test func statsShowEveryPartWithItsShare() async throws {
    let harness = try await CommandLineHarness.withParks()
    let lines = try await harness.succeed("stats").lines
    #expect(lines[0].hasPrefix("listsync.db: 1 list, 2 versions, 8 changes, 0 checkpoints; "))
    let parts = [
      "changes", "ids index", "versions", "head order", "checkpoints", "kept changes", "other",
      "free pages", "write-ahead log",
    ]
    #expect(lines.count == parts.count + 1)
    for (line, part) in zip(lines.dropFirst(), parts) {
      #expect(line.contains(try Regex("^  \(part) +[0-9.]+ (B|kB) +[0-9]+ %$")), "\(line)")
    }
    #expect(try await harness.succeed("stats", "parks").lines.count == 7)
  }

  @Test func jsonOutputOfStatsGivesExactByteCounts() async throws {
    let harness = try await CommandLineHarness.withParks()
    let document = try #require(
      try await harness.succeed("stats", "--json").json() as? [String: Any])
    let bytes = try #require(document["bytes"] as? [String: Int])
    let size = try Data(contentsOf: harness.url("listsync.db")).count
    #expect(bytes["total"] == size)
    #expect(bytes.filter { $0.key != "total" }.values.reduce(0, +) == size)
    #expect(document["versions"] as? Int == 2 && document["changes"] as? Int == 8)
    #expect(document["lists"] as? Int == 1)
    let parks = try #require(
      try await harness.succeed("stats", "parks", "--json").json() as? [String: Any])
    #expect(parks["list"] as? String == "parks")
    #expect((parks["bytes"] as? [String: Int])?["changes"] == bytes["changes"])
  }

  @Test func statsOfOneOfSeveralListsAreMarkedAsAnEstimate() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("commit", "movies", Example.url("movies/monday.json").path)
    let outcome = try await harness.succeed("stats", "movies")
    #expect(outcome.errorText.contains("bytes are an estimate"))
    expectRefusal(
      try await harness.run("stats", "parcs"), code: 3, says: ["there is no list 'parcs'"])
  }

  @Test func upkeepVerbsDoNotChangeTheStore() async throws {
    let harness = try await CommandLineHarness.withParks()
    let bytes = harness.storeBytes()
    for verb in [["verify", "--deep"], ["stats"], ["stats", "parks"], ["backup", "copy.db"]] {
      #expect(try await harness.run(verb).exitCode == 0)
    }
    #expect(harness.storeBytes() == bytes)
  }
}
