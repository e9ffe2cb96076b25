import Foundation
import ListModel
import Testing

@testable import listsync

struct LogStatTests {
  private let plain = Palette(.never)

  @Test func barHasOneSignPerChangeIfAllFit() {
    let bar = ChangeBar(largestCount: 12, width: 70, palette: plain)
    let line = bar.line(ChangeCounts(removed: 2, moved: 3, inserted: 1, updated: 4))
    #expect(line == "10 --+>>>~~~~")
    #expect(bar.line(ChangeCounts(removed: 0, moved: 0, inserted: 0, updated: 1)) == " 1 ~")
  }

  @Test func changeBarUsesTheColoursOfDiff() {
    let bar = ChangeBar(largestCount: 4, width: 70, palette: Palette(.always))
    let line = bar.line(ChangeCounts(removed: 1, moved: 1, inserted: 1, updated: 1))
    #expect(
      line == "4 \u{1B}[31m-\u{1B}[0m\u{1B}[32m+\u{1B}[0m\u{1B}[36m>\u{1B}[0m\u{1B}[33m~\u{1B}[0m")
  }

  @Test func barFitsItsWidthAndShowsEveryKindOfChange() {
    for width in 4...20 {
      for counts in [
        [9, 9, 9, 9], [1000, 1, 1, 1], [0, 0, 1, 999], [21, 0, 0, 0], [1, 1, 1, 1],
      ] {
        let largest = 1003
        let lengths = ChangeBar(largestCount: largest, width: width, palette: plain).lengths(counts)
        #expect(lengths.reduce(0, +) <= width, "\(counts) in \(width)")
        #expect(lengths.map { $0 > 0 } == counts.map { $0 > 0 })
      }
    }
    let longest = ChangeBar(largestCount: 1000, width: 20, palette: plain).lengths([0, 1000, 0, 0])
    #expect(longest == [0, 20, 0, 0])
  }

  @Test func statShowsABarBelowEachVersion() async throws {
    let harness = try await CommandLineHarness.withParks()
    let plain = try await harness.succeed("log", "parks").lines
    let lines = try await harness.succeed("log", "parks", "--stat").lines
    #expect(lines == [plain[0], plain[1], "    4 +>>~", plain[2], plain[3], "    4 ++++"])
    let limited = try await harness.succeed("log", "parks", "--stat", "-n", "1").lines
    #expect(limited == Array(lines.prefix(3)))
  }

  @Test func longestBarFillsEightyColumnsWithoutATerminal() async throws {
    let harness = try CommandLineHarness()
    let many = (0..<500).map { "\"i\($0)\"" }.joined(separator: ",")
    try await harness.succeed("commit", "l", "-", "--id", ".", input: "[\(many)]")
    try await harness.succeed("commit", "l", "-", "--id", ".", input: "[\(many),\"x\"]")
    let lines = try await harness.succeed("log", "l", "--stat").lines
    #expect(lines[1] == "      1 +")
    #expect(lines[3] == "    500 " + String(repeating: "+", count: 72))
  }

  @Test func barUsesTheWidthOfTheTerminal() async throws {
    let harness = try CommandLineHarness()
    let terminal = try PseudoTerminal()
    #expect(terminal.resize(columns: 30))
    let many = (0..<500).map { "\"i\($0)\"" }.joined(separator: ",")
    try await harness.succeed("commit", "l", "-", "--id", ".", input: "[\(many)]")
    let outcome = try await harness.run(
      ["log", "l", "--stat", "--color", "never"], outputPath: terminal.path)
    #expect(outcome.exitCode == 0)
    // The terminal ends lines with CR LF.
    let lines = terminal.text().split(separator: "\r\n").map(String.init)
    #expect(lines.last == "    500 " + String(repeating: "+", count: 22))
  }

  @Test(arguments: [["--item", "zion"], ["--json"]])
  func statOptionIsRefusedWithItemAndWithJSON(_ options: [String]) async throws {
    let harness = try await CommandLineHarness.withParks()
    expectRefusal(
      try await harness.run(["log", "parks", "--stat"] + options), code: 2, says: ["--stat: bars"])
  }

  @Test func aLongLogIsCompleteAndInOrder() async throws {
    let harness = try CommandLineHarness()
    let time = Timestamp(millisecondsSince1970: 1_790_000_000_000)
    try await harness.succeed("commit", "l", "-", "--id", ".", "--at", "\(time)", input: "[7]")
    // More than one batch of versions, made by SQL instead of 600 processes.
    let root = Root(of: Snapshot(uniqueItems: [Item(id: "7", content: try Content(json: "7"))]))
    var chain = Chain.zero.extended(to: Version(1), root: root, note: CommitNote(time: time))
    let rows = (2...600).map { number in
      let note = CommitNote(time: time, author: "n\(number)")
      chain = chain.extended(to: Version(number), root: root, note: note)
      return "(\(number), 'n\(number)', x'\(chain)')"
    }
    try harness.change(
      """
      WITH made(n, name, chain) AS (VALUES \(rows.joined(separator: ",")))
      INSERT INTO versions SELECT version_id + n - 1, first_change, committed_at, name, message,
        item_count, removed, moved, inserted, updated, root, made.chain, 0 FROM versions, made
      """)
    try harness.change("UPDATE lists SET head = 600")
    let log = try await harness.succeed("log", "l", "--json").json() as? [[String: Any]]
    #expect(log?.compactMap { $0["version"] as? Int } == Array((1...600).reversed()))
    for (limit, oldest) in [(256, 345), (257, 344), (512, 89), (600, 1), (900, 1)] {
      let some = try await harness.succeed("log", "l", "-n", "\(limit)", "--json").json()
      #expect((some as? [[String: Any]])?.last?["version"] as? Int == oldest)
    }
    let lines = try await harness.succeed("log", "l").lines.filter { !$0.hasPrefix(" ") }
    #expect(lines.count == 600)
    #expect(lines.allSatisfy { $0.dropFirst(16).hasPrefix("  20") }, "cursors are padded alike")
  }
}
