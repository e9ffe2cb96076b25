import Foundation
import TestSupport
import Testing

@testable import SyncClient

@Suite struct TransitionTableTests {
  @Test func documentedTransitionTableMatchesTheMachineForEveryStateAndEvent() throws {
    let url = Project.root.appendingPathComponent(
      "Sources/SyncClient/SyncClient.docc/Machine.md")
    let text = try String(contentsOf: url, encoding: .utf8)
    let documented = text.split(separator: "\n").map(String.init)
      .drop { !$0.hasPrefix("| event |") }.prefix { $0.hasPrefix("|") }
    let lines = TransitionTable.lines
    #expect(
      Array(documented) == lines,
      "the table is\n\(lines.joined(separator: "\n"))")
  }

  @Test(arguments: StateName.allCases)
  func fixtureIsInTheStateOfItsName(_ name: StateName) {
    #expect(StateName(MachineFixture(name).machine.state) == name)
  }

  @Test func tableCoversEveryKindOfAnswerAndEvent() {
    let events = TransitionTable.rows.map { $0.event(MachineFixture(.catchingUp)) }
    let kinds = Set(events.map { "\($0)".prefix { $0 != "(" } })
    #expect(
      kinds == [
        "start", "answered", "timerFired", "saved", "saveFailed", "pause", "resume", "stop",
      ])
    let answers = events.compactMap { event -> String? in
      guard case .answered(_, let answer, _) = event else { return nil }
      return String("\(answer)".prefix { $0 != "(" })
    }
    #expect(
      Set(answers) == [
        "changes", "snapshot", "notModified", "noDelta", "damaged", "unavailable", "refused",
      ])
  }
}
