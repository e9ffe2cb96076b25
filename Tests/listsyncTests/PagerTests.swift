import Foundation
import Testing

/// Long answers on a terminal.
struct PagerTests {
  /// What a command with a list of items shows on a terminal of 24 rows.
  private func shown(
    itemCount: Int, _ environment: [String: String], _ options: String...
  ) async throws -> (lines: [String], outcome: CommandLineHarness.Outcome) {
    let harness = try CommandLineHarness()
    let terminal = try PseudoTerminal()
    #expect(terminal.resize(columns: 80))
    let items = (0..<itemCount).map { "\"i\($0)\"" }.joined(separator: ",")
    try await harness.succeed("commit", "l", "-", "--id", ".", input: "[\(items)]")
    let outcome = try await harness.run(
      ["show", "l", "--ids"] + options, environment: environment, outputPath: terminal.path)
    // The terminal ends lines with CR LF.
    return (terminal.text().split(separator: "\r\n").map(String.init), outcome)
  }

  private static let marking = "sed s/^/paged:/"

  @Test(arguments: ["LISTSYNC_PAGER", "PAGER"])
  func longAnswerGoesToThePager(variable: String) async throws {
    let (lines, outcome) = try await shown(itemCount: 40, [variable: Self.marking])
    #expect(lines == (0..<40).map { "paged:i\($0)" })
    #expect(outcome.exitCode == 0)
  }

  @Test func answerThatFitsTheScreenIsNotPaged() async throws {
    let (lines, _) = try await shown(itemCount: 23, ["PAGER": Self.marking])
    #expect(lines == (0..<23).map { "i\($0)" })
  }

  @Test func ownVariableComesFirst() async throws {
    let (lines, _) = try await shown(
      itemCount: 40, ["PAGER": "false", "LISTSYNC_PAGER": Self.marking])
    #expect(lines.first == "paged:i0")
  }

  @Test(arguments: ["", "cat"])
  func emptyPagerIsNone(pager: String) async throws {
    let (lines, _) = try await shown(itemCount: 40, ["PAGER": pager])
    #expect(lines == (0..<40).map { "i\($0)" })
  }

  @Test func optionSwitchesThePagerOff() async throws {
    let (lines, _) = try await shown(itemCount: 40, ["PAGER": Self.marking], "--no-pager")
    #expect(lines.first == "i0" && lines.count == 40)
  }

  @Test func quittingThePagerIsNoError() async throws {
    let (lines, outcome) = try await shown(itemCount: 30_000, ["PAGER": "head -n 3"])
    #expect(lines == ["i0", "i1", "i2"])
    #expect(outcome.exitCode == 0 && outcome.errorText.isEmpty, "\(outcome)")
  }
}
