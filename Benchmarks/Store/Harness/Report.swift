import Foundation

/// Prints findings as they come, or as a Markdown table.
struct Report {
  let isMarkdown: Bool
  private var missedCount = 0

  init(isMarkdown: Bool) { self.isMarkdown = isMarkdown }

  mutating func start(_ machine: String) {
    print(machine)
    guard isMarkdown else { return }
    print("\n| | work | goal | measured | | figures |\n|---|---|---|---|---|---|")
  }

  mutating func add(_ findings: [Finding], of row: any Row.Type) {
    for finding in findings {
      if finding.outcome == .missed { missedCount += 1 }
      print(isMarkdown ? markdown(finding, row) : text(finding, row))
    }
    fflush(nil)
  }

  func finish() {
    print(missedCount == 0 ? "\nNo goal was missed." : "\nGoals missed: \(missedCount).")
  }

  private func markdown(_ finding: Finding, _ row: any Row.Type) -> String {
    let cells = [
      "\(row.number)", finding.work, finding.goal, finding.measured, Self.word(finding.outcome),
      finding.figures,
    ]
    return "| " + cells.joined(separator: " | ") + " |"
  }

  private func text(_ finding: Finding, _ row: any Row.Type) -> String {
    let goal = finding.goal.isEmpty ? "" : " (goal \(finding.goal))"
    return """
      \(row.number)  \(finding.work)
         \(finding.measured)\(goal) \(Self.word(finding.outcome))
         \(finding.figures)
      """
  }

  private static func word(_ outcome: Finding.Outcome) -> String {
    switch outcome {
    case .reached: "reached"
    case .missed: "**missed**"
    case .told: ""
    case .skipped: "skipped"
    }
  }
}

/// Progress messages on standard error.
enum Progress {
  static func note(_ text: String) {
    FileHandle.standardError.write(Data("  … \(text)\n".utf8))
  }
}
