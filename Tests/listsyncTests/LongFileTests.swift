import Foundation
import TestSupport
import Testing

/// Files that are so long that a commit keeps only their outline.
struct LongFileTests {
  private static let count = 40_000

  private static func lines(_ count: Int = count) -> [String] {
    (0..<count).map { number in
      let text = String(repeating: "text of park \(number) ", count: 6)
      return #"{"id":"park-\#(number)","text":"\#(text)"}"#
    }
  }

  private func text(_ lines: [String]) -> String { "[\n" + lines.joined(separator: ",\n") + "\n]" }

  @Test func theNextVersionOfALongFileIsThatOfItsItems() async throws {
    let harness = try CommandLineHarness()
    var lines = Self.lines()
    try harness.write(text(lines), to: "parks.json")
    try await harness.succeed("commit", "parks", "parks.json")
    lines.append(lines.remove(at: 20_000))
    lines.remove(at: 3)
    lines[100] = lines[100].replacing("text of", with: "word of")
    lines.insert(#"{"id":"new"}"#, at: 0)
    try harness.write(text(lines), to: "parks.json")
    let dry = try await harness.succeed("commit", "parks", "parks.json", "--dry-run", "--json")
    let outcome = try await harness.succeed("commit", "parks", "parks.json")
    #expect(
      outcome.text.contains("1 removed, 1 moved, 1 inserted, 1 updated; 40000 items"),
      "\(outcome.text)")
    let delta = try await harness.succeed("delta", "parks", "--since", "1")
    #expect(try changes(of: delta) == changes(of: dry))
    let show = try await harness.succeed("show", "parks")
    let isSame = show.output == Array((text(lines) + "\n").utf8)
    #expect(isSame)
    try await harness.succeed("verify", "--deep")
  }

  private func changes(of outcome: CommandLineHarness.Outcome) throws -> NSDictionary {
    let document = try #require(try outcome.json() as? [String: Any])
    let names = ["removed", "moved", "inserted", "updated"]
    return document.filter { names.contains($0.key) } as NSDictionary
  }

  @Test func anIDThatIsTwiceIsRefusedWithItsPlaces() async throws {
    let harness = try CommandLineHarness()
    let sound = Self.lines()
    try harness.write(text(sound), to: "parks.json")
    try await harness.succeed("commit", "parks", "parks.json")
    for (place, options) in [(5, []), (Self.count, ["--dry-run"])] {
      var lines = sound
      lines.insert(lines[2], at: place)
      try harness.write(text(lines), to: "parks.json")
      let outcome = try await harness.run(["commit", "parks", "parks.json"] + options)
      #expect(outcome.exitCode == 1)
      #expect(
        outcome.errorText.hasPrefix("listsync: parks.json: 1 item repeats an id"),
        "\(outcome.errorText)")
      let places = "item 3 (line 4, column 1) and item \(place + 1) (line \(place + 2), column 1)"
      #expect(outcome.errorText.contains("'park-2': \(places)"), "\(outcome.errorText)")
    }
    let log = try await harness.succeed("log", "parks", "--json").json() as? [Any]
    #expect(log?.count == 1)
  }

  @Test func standardInputThatIsAFileIsReadFromWhereItStands() async throws {
    let harness = try CommandLineHarness()
    let header = "a line that another program reads\n"
    for count in [2, 120_000] {
      try harness.write(header + text(Self.lines(count)), to: "parks.txt")
      let outcome = try await harness.run(
        ["-c", "read -r line; \"$0\" commit parks -", try BuiltProgram.url("listsync").path],
        inputPath: harness.url("parks.txt").path,
        program: URL(fileURLWithPath: "/bin/bash"))
      #expect(outcome.text.contains("; \(count) items"), "\(outcome)")
    }
  }
}
