import Testing

/// A fault that a campaign has found and that is not mended yet. A case that is listed and passes
/// fails the campaign, so that the list shrinks as faults go.
struct KnownFault: Sendable {
  /// The cases that fail, as the campaign names them: a star stands for any text.
  let cases: String
  /// The law that they break.
  let law: String
  let reason: String

  init(_ cases: String, _ law: String, _ reason: String) {
    (self.cases, self.law, self.reason) = (cases, law, reason)
  }

  func covers(_ name: String) -> Bool { Self.matches(Array(name)[...], Array(cases)[...]) }

  private static func matches(_ text: ArraySlice<Character>, _ pattern: ArraySlice<Character>)
    -> Bool
  {
    guard let first = pattern.first else { return text.isEmpty }
    if first == "*" {
      return matches(text, pattern.dropFirst())
        || (!text.isEmpty && matches(text.dropFirst(), pattern))
    }
    return text.first == first && matches(text.dropFirst(), pattern.dropFirst())
  }
}

enum KnownFaults {
  /// Of `PathCampaign`.
  static let paths: [KnownFault] = []

  /// Of `PairCampaign`.
  static let pairs: [KnownFault] = []
}

/// Compares what a campaign found with the faults that are known.
struct FaultLedger {
  let known: [KnownFault]
  /// What to run to see one case again.
  let repeating: (_ name: String) -> String

  private(set) var knownCount = 0

  init(_ known: [KnownFault], repeating: @escaping (_ name: String) -> String) {
    (self.known, self.repeating) = (known, repeating)
  }

  /// Notes how a case went.
  ///
  /// - Parameter broken: the laws that it broke, each with the story.
  mutating func note(_ name: String, broken: [(law: String, detail: String)]) {
    let expected = known.filter { $0.covers(name) }
    for (law, detail) in broken {
      if expected.contains(where: { $0.law == law }) {
        knownCount += 1
      } else {
        Issue.record("\(name): \(law): \(detail)\n  again: \(repeating(name))")
      }
    }
    for fault in expected where !broken.contains(where: { $0.law == fault.law }) {
      Issue.record("\(name): keeps the law '\(fault.law)': take '\(fault.cases)' off KnownFaults")
    }
  }
}
