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
      .drop { !$0.hasPrefix("| event |") }.prefix { $0.hasPrefix("|") }.joined(separator: "\n")
    let table = TransitionTable.lines.joined(separator: "\n")
    if ProcessInfo.processInfo.environment["LISTSYNC_UPDATE_DOCUMENTATION"] != nil {
      try text.replacingOccurrences(of: documented, with: table)
        .write(to: url, atomically: true, encoding: .utf8)
    } else {
      #expect(documented == table, "LISTSYNC_UPDATE_DOCUMENTATION=1 writes it anew")
    }
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
