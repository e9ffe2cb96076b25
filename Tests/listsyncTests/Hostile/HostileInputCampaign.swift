import Foundation
import ListModel
import TestSupport
import Testing

/// Input that tries to exhaust memory or time. It is accepted or refused by the limits, with memory
/// that is constant or a multiple of the input.
@Suite(.serialized) struct HostileInputCampaign {
  private static let campaign = Campaign("hostile")
  /// The memory of the program before it reads, plus a reserve for the allocator.
  private static let baseByteCount = 64 << 20
  /// A sanitizer needs memory of its own; `make sanitize` sets the variable.
  private static let isSanitized =
    ProcessInfo.processInfo.environment["LISTSYNC_SANITIZED"] != nil

  /// Runs the program on a hostile file, and limits its memory to a multiple of the input.
  private func run(
    _ harness: CommandLineHarness, _ arguments: [String], times factor: Double, of inputCount: Int,
    plus constant: Int = 0, environment: [String: String] = [:], inputPath: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> CommandLineHarness.Outcome {
    let outcome = try await harness.run(
      arguments, environment: environment, inputPath: inputPath, isMeasured: true,
      killSeconds: 1200)
    let bound = Int(factor * Double(inputCount)) + constant + Self.baseByteCount
    let peak = try #require(outcome.peakByteCount)
    #expect(
      peak <= bound || Self.isSanitized,
      "\(arguments): \(peak >> 20) MiB, more than \(bound >> 20)",
      sourceLocation: sourceLocation)
    Self.campaign.report(
      """
      \(arguments.prefix(2).joined(separator: " ")) of \(inputCount) bytes \
      (\(sourceLocation.line)): exit \(outcome.exitCode), \(peak >> 20) MiB
      """)
    // Messages stay short and printable for any input.
    #expect(outcome.errorText.utf8.count < 10_000, sourceLocation: sourceLocation)
    return outcome
  }

  @Test func endlessBracketsAreRefusedAtThe513thInEveryFormat() async throws {
    let harness = try CommandLineHarness()
    let count = try HostileFile.write("brackets.json", in: harness) {
      try $0.write("[", count: Self.campaign.rounds(16 << 20, long: 1 << 30))
    }
    let ways = [
      ["commit", "l", "brackets.json"], ["commit", "l", "brackets.json", "--format", "ndjson"],
      ["commit", "l", "brackets.json", "--items", "/a/b"],
      ["commit", "l", "--delta", "brackets.json"],
    ]
    for way in ways {
      let outcome = try await run(harness, way, times: 1, of: count)
      expectRefusal(outcome, code: 1, says: ["nested deeper than 512", "cannot be raised"])
    }
    let piped = try await run(
      harness, ["commit", "l", "-"], times: 1, of: count,
      inputPath: harness.url("brackets.json").path)
    expectRefusal(piped, code: 1, says: ["standard input:1:514: nested deeper than 512"])
    let low = ["LISTSYNC_MAX_LINE_BYTES": "1000000"]
    let bundle = try await run(
      harness, ["bundle", "verify", "brackets.json"], times: 0, of: count, environment: low)
    expectRefusal(bundle, code: 1, says: ["line 1 is longer than 1000000 bytes"])
    #expect(try harness.fileNames() == ["brackets.json"])
  }

  @Test func hugeStringIsRefusedAsAnItemUnlessTheLimitAllowsIt() async throws {
    let harness = try CommandLineHarness()
    let length = Self.campaign.rounds(4 << 20, long: 100_000_000)
    let count = try HostileFile.write("long.json", in: harness) {
      try $0.write(#"[{"id":"a","x":""#)
      try $0.write("x", count: length)
      try $0.write(#""}]"#)
    }
    let low = ["LISTSYNC_MAX_ITEM_BYTES": "1000000"]
    let refused = try await run(
      harness, ["commit", "l", "long.json"], times: 1, of: count, environment: low)
    expectRefusal(
      refused, code: 1,
      says: ["the item has more than 1000000 bytes", "LISTSYNC_MAX_ITEM_BYTES=NUMBER"])
    let high = ["LISTSYNC_MAX_ITEM_BYTES": "200000000"]
    let taken = try await run(
      harness, ["commit", "l", "long.json"], times: 8, of: count, environment: high)
    #expect(taken.exitCode == 0, "\(taken)")
    let shown = try await run(harness, ["show", "l"], times: 8, of: count)
    #expect(shown.output.count == length + #"[_{"id":"a","x":""}_]_"#.utf8.count)
    // It is too long as an id, but valid as a member's name.
    let id = try await run(
      harness, ["commit", "m", "long.json", "--id", "x"], times: 4, of: count, environment: high)
    expectRefusal(id, code: 1, says: ["the id has \(length) bytes, where 1024 are allowed"])
  }

  @Test func hugeObjectIsSortedAndADuplicateMemberInItIsRefused() async throws {
    let harness = try CommandLineHarness()
    let memberCount = Self.campaign.rounds(20_000, long: 1_000_000)
    for (name, last) in [("wide.json", "z"), ("twice.json", "m7")] {
      let count = try HostileFile.write(name, in: harness) { file in
        try file.write(#"[{"id":"a""#)
        for number in stride(from: memberCount, to: 0, by: -1) {
          try file.write(#","m\#(number)":1"#)
        }
        try file.write(#","\#(last)":1}]"#)
      }
      let outcome = try await run(harness, ["commit", "l", name], times: 30, of: count)
      if last == "z" {
        #expect(outcome.exitCode == 0, "\(outcome)")
        let shown = try await harness.succeed("show", "l").text
        #expect(shown.hasPrefix("[\n{\"id\":\"a\",\"m1\":1,\"m10\":1,") && shown.count == count + 3)
      } else {
        expectRefusal(outcome, code: 1, says: [#"member "m7" stands twice in one object"#])
      }
    }
    // The message about a missing id does not name a million members.
    let outcome = try await harness.run("commit", "l", "wide.json", "--id", "none")
    expectRefusal(outcome, code: 1, says: ["The members of the first are: id, m1, ", " and "])
    #expect(outcome.errorText.utf8.count < 1000)
  }

  @Test func countOfRepeatedIDsIsFullAndFiveOfThemAreNamed() async throws {
    let harness = try CommandLineHarness()
    let itemCount = Self.campaign.rounds(10_000, long: 1_000_000)
    let json = try HostileFile.write("same.json", in: harness) { file in
      try file.write("[")
      for number in 0..<itemCount { try file.write("{\"id\":7,\"n\":\(number)},\n") }
      try file.write("{\"id\":7}]")
    }
    let refused = try await run(harness, ["commit", "l", "same.json"], times: 40, of: json)
    expectRefusal(
      refused, code: 1,
      says: ["\(itemCount) items repeat an id", "'7': item 1", "and \(itemCount - 5) more"])
    for (policy, kept) in [("keep-first", #"{"id":7,"n":0}"#), ("keep-last", #"{"id":7}"#)] {
      let taken = try await run(
        harness, ["commit", policy, "same.json", "--duplicates", policy], times: 60, of: json)
      #expect(taken.exitCode == 0, "\(taken)")
      #expect(try await harness.succeed("show", policy).text == "[\n\(kept)\n]\n")
    }
  }

  @Test func hugeTableHeaderAndItsShortRowsAreRead() async throws {
    let harness = try CommandLineHarness()
    let columnCount = Self.campaign.rounds(10_000, long: 1_000_000)
    let rowCount = columnCount
    let count = try HostileFile.write("wide.csv", in: harness) { file in
      try file.write("id")
      for number in 1..<columnCount { try file.write(",c\(number)") }
      for row in 0..<rowCount { try file.write("\n\(row)") }
      try file.write("\nlast")
      for _ in 1..<columnCount { try file.write(",1") }
    }
    let outcome = try await run(harness, ["commit", "l", "wide.csv"], times: 60, of: count)
    #expect(outcome.exitCode == 0 && outcome.text.contains("\(rowCount + 1) items"), "\(outcome)")
    let unnamed = try await run(
      harness, ["commit", "m", "wide.csv", "--id", "none"], times: 60, of: count)
    expectRefusal(
      unnamed, code: 1, says: ["there is no column 'none'; there are: 'id', 'c1'", "more"])
  }

  @Test func endlessRowIsReadOnlyUpToTheItemLimit() async throws {
    let harness = try CommandLineHarness()
    let length = Self.campaign.rounds(16 << 20, long: 1 << 30)
    for (name, start, byte) in [
      ("cell.csv", "id,name\na,", "x"), ("cells.csv", "id,name\na,", ","),
      ("header.csv", "id", ","), ("name.csv", "", "x"), ("quoted.csv", "id\n\"", "x"),
    ] as [(String, String, Unicode.Scalar)] {
      let count = try HostileFile.write(name, in: harness) {
        try $0.write(start)
        try $0.write(byte, count: length)
      }
      let outcome = try await run(
        harness, ["commit", "l", name], times: 1, of: count, plus: 64 << 20,
        environment: ["LISTSYNC_MAX_ITEM_BYTES": "1000000"])
      let words = name == "quoted.csv" ? "never closed" : "the item has more than 1000000 bytes"
      expectRefusal(outcome, code: 1, says: [words])
      try FileManager.default.removeItem(at: harness.url(name))
    }
  }

  @Test func smallTableThatUnfoldsToALargeListIsRefusedOnTheWay() async throws {
    let harness = try CommandLineHarness()
    let count = try HostileFile.write("unfolding.csv", in: harness) { file in
      try file.write("id,")
      try file.write("n", count: 100_000)
      for row in 0..<Self.campaign.rounds(1000, long: 100_000) { try file.write("\n\(row),") }
    }
    let outcome = try await run(
      harness, ["commit", "l", "unfolding.csv"], times: 1, of: count, plus: 100_000_000,
      environment: ["LISTSYNC_MAX_COMMIT_BYTES": "50000000"])
    expectRefusal(outcome, code: 1, says: ["the input has more than 50000000 bytes"])
  }

  @Test func gzipBombIsUnpackedOnlyUpToTheLineLimit() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("bundle", "create", "parks", "-o", "parks.bundle")
    let bundle = try String(contentsOf: harness.url("parks.bundle"), encoding: .utf8)
    let header = bundle.prefix { $0 != "\n" } + "\n"
    let unpacked = Self.campaign.rounds(32 << 20, long: 4 << 30)
    for (name, start) in [("bomb.gz", ""), ("late.gz", String(header))] {
      let count = try HostileFile.write(name, in: harness) {
        try $0.writePacked(start, " ", count: unpacked)
      }
      #expect(count * 500 < unpacked)
      let line = start.isEmpty ? 1 : 2
      for verb in [["verify", name], ["apply", name, "--as", "copy"]] {
        let outcome = try await run(
          harness, ["bundle"] + verb, times: 0, of: count, plus: 8 << 20,
          environment: ["LISTSYNC_MAX_LINE_BYTES": "1000000"])
        expectRefusal(outcome, code: 1, says: ["line \(line) is longer than 1000000 bytes"])
      }
    }
    // An endless line without compression.
    let count = try HostileFile.write("endless", in: harness) {
      try $0.write(String(header))
      try $0.write("{", count: unpacked / 4)
    }
    let outcome = try await run(
      harness, ["bundle", "verify", "endless"], times: 0, of: count, plus: 8 << 20,
      environment: ["LISTSYNC_MAX_LINE_BYTES": "1000000"])
    expectRefusal(outcome, code: 1, says: ["line 2 is longer than 1000000 bytes"])
    #expect(try await harness.succeed("lists").lines.count == 1)
  }

  @Test func endlessDeviceIsReadOnlyUpToTheCommitLimit() async throws {
    let harness = try CommandLineHarness()
    let bound = 40_000_000
    for arguments in [["commit", "l", "/dev/zero"], ["commit", "l", "--delta", "/dev/zero"]] {
      let outcome = try await run(
        harness, arguments, times: 3, of: bound,
        environment: ["LISTSYNC_MAX_COMMIT_BYTES": "\(bound)"])
      expectRefusal(outcome, code: 1, says: ["/dev/zero: the input has more than \(bound) bytes"])
    }
    let outcome = try await run(
      harness, ["bundle", "verify", "/dev/zero"], times: 3, of: bound,
      environment: ["LISTSYNC_MAX_LINE_BYTES": "\(bound)"])
    expectRefusal(outcome, code: 1, says: ["line 1 is longer than \(bound) bytes"])
  }
}
