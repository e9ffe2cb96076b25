import Foundation
import TestSupport
import Testing

/// Every verb on every kind of path. It does its work on the named file or refuses, and changes no
/// other file.
@Suite
struct PathCampaign {
  /// The number of cases of each kind in the share.
  private static let shareCount = 15
  private static let widthCount = 3

  /// It never touches anything else.
  @Test(.timeLimit(.minutes(Hang.minutes)))
  func verbDoesItsWorkOrRefusesWhateverLiesAtAPath() async throws {
    try await run("path contents", PathCase.contents)
  }

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func everySpellingOfAPathMeansOneFileOrIsRefused() async throws {
    try await run("path spellings", PathCase.spellings)
  }

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func verbWorksOrIsRefusedByNameInEveryPlaceAndForEveryUser() async throws {
    try await run("path places", PathCase.places)
  }

  private func run(_ name: String, _ cases: [PathCase]) async throws {
    let campaign = Campaign(name)
    var random = campaign.random()
    let templates = try await PathTemplates.shared.value
    let chosen = Self.chosen(of: cases, campaign, &random)
    var ledger = FaultLedger(KnownFaults.paths) { name in
      "LISTSYNC_CASE='\(name)' make test ONLY=PathCampaign"
    }
    var (runCount, brokenCount) = (0, 0)
    try await chosen.inParallel(width: Self.widthCount) { trial in
      try await (trial, PathRun(trial, from: templates).violations)
    } each: { trial, violations in
      runCount += 1
      brokenCount += violations.isEmpty ? 0 : 1
      let broken = violations.map { ($0.law.rawValue, $0.detail) }
      ledger.note(trial.description, broken: broken)
    }
    campaign.report(
      """
      \(runCount) of \(cases.count) cases; \(brokenCount) broke a law, \(ledger.knownCount) times \
      as is known
      """)
  }

  private static func chosen(
    of cases: [PathCase], _ campaign: Campaign, _ random: inout SeededRandom
  ) -> [PathCase] {
    if let name = ProcessInfo.processInfo.environment["LISTSYNC_CASE"] {
      let pattern = KnownFault(name, "", "")
      return cases.filter { pattern.covers($0.description) }
    }
    let count = min(cases.count, campaign.rounds(shareCount, long: .max))
    return count == cases.count ? cases : Array(cases.shuffled(using: &random).prefix(count))
  }
}

extension Array where Element: Sendable {
  /// Runs a closure on every element, several at a time, and handles the results one by one.
  func inParallel<Result: Sendable>(
    width: Int, _ body: @escaping @Sendable (Element) async throws -> Result,
    each: (Result) throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Result.self) { group in
      var rest = self[...]
      for _ in 0..<width {
        if let element = rest.popFirst() { group.addTask { try await body(element) } }
      }
      while let result = try await group.next() {
        try each(result)
        if let element = rest.popFirst() { group.addTask { try await body(element) } }
      }
    }
  }
}
