import TestSupport

/// What whoever keeps a server does at one moment.
struct ServerAct: Sendable, CustomStringConvertible {
  enum Kind: String, CaseIterable, Sendable {
    case commit, edit, clear, prune, backup, restore, restart
  }

  let seconds: Double
  let kind: Kind
  /// How long it takes until the running server notices.
  let lagSeconds: Double
  /// Decides the rest, whatever other acts there are.
  let seed: UInt64

  var description: String { "\(seconds.tenths) \(kind.rawValue)" }

  private static let usualKinds: [Kind] =
    Array(repeating: .commit, count: 8) + Array(repeating: .edit, count: 4)
    + Array(repeating: .backup, count: 3) + [.clear, .prune, .prune, .restart]
    + Array(repeating: .restore, count: 4)

  /// Acts by chance, a backup first.
  static func sequence(endSeconds: Double, _ random: inout SeededRandom) -> [ServerAct] {
    var acts: [ServerAct] = []
    var seconds = 0.0
    while true {
      // Now and then several in a short time.
      seconds += random.chance(4) ? random.seconds(0.1...2) : random.seconds(3...25)
      if seconds >= endSeconds { return acts }
      acts.append(
        ServerAct(
          seconds: seconds, kind: acts.isEmpty ? .backup : random.element(of: usualKinds),
          lagSeconds: random.chance(2) ? 0 : random.seconds(0.01...0.9), seed: random.next()))
    }
  }
}

extension SeededRandom {
  mutating func seconds(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &self)
  }
}

extension Double {
  /// With one decimal.
  var tenths: String { "\((self * 10).rounded() / 10)" }
}
