import TestSupport

/// One act of a server's operator, with its time.
struct ServerAct: Sendable, CustomStringConvertible {
  enum Kind: String, CaseIterable, Sendable {
    case commit, edit, clear, prune, backup, restore, restart
  }

  let seconds: Double
  let kind: Kind
  /// The time until the running server notices the act.
  let lagSeconds: Double
  /// Decides all else, independently of other acts.
  let seed: UInt64

  var description: String { "\(seconds.tenths) \(kind.rawValue)" }

  private static let usualKinds: [Kind] =
    Array(repeating: .commit, count: 8) + Array(repeating: .edit, count: 4)
    + Array(repeating: .backup, count: 3) + [.clear, .prune, .prune, .restart]
    + Array(repeating: .restore, count: 4)

  /// Random acts; the first is a backup.
  static func sequence(endSeconds: Double, _ random: inout SeededRandom) -> [ServerAct] {
    var acts: [ServerAct] = []
    var seconds = 0.0
    while true {
      // Sometimes several acts follow at short intervals.
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
