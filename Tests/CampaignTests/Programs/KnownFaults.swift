import Testing

/// A fault that a campaign has found and that is not fixed yet. A listed case that passes fails the
/// campaign, so the list shrinks as faults are fixed.
struct KnownFault: Sendable {
  /// The failing cases, as the campaign names them; a star stands for any text.
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
  /// The known faults of `PathCampaign`.
  static let paths: [KnownFault] = []

  /// The known faults of `PairCampaign`.
  static let pairs: [KnownFault] = []
}

/// Compares a campaign's failures with the known faults.
struct FaultLedger {
  let known: [KnownFault]
  /// The command that runs one case again.
  let repeating: (_ name: String) -> String

  private(set) var knownCount = 0

  init(_ known: [KnownFault], repeating: @escaping (_ name: String) -> String) {
    (self.known, self.repeating) = (known, repeating)
  }

  /// Records the result of a case.
  ///
  /// - Parameter broken: the laws that it broke, each with the details.
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
