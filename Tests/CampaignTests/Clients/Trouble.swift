import TestSupport

/// What is wrong with the whole server, or the way to it, for a while.
struct Trouble: Sendable, CustomStringConvertible {
  enum Kind: String, CaseIterable, Sendable {
    /// Nothing answers; connections are refused.
    case down
    /// Requests vanish.
    case silent
    case busy, failing, guarded, missing
    /// The network wants a log-in.
    case portal
    /// A cache gives whatever it had for the same address without asking.
    case cached
    /// Something on the way doubles whatever passes.
    case spoiled
  }

  let kind: Kind
  let start: Double
  let end: Double
  /// What `Retry-After` asks for, beyond what the server itself does; nil for nothing.
  let retryAfterSeconds: Int?

  var description: String { "\(start.tenths)…\(end.tenths) \(kind.rawValue)" }

  static func random(endSeconds: Double, _ random: inout SeededRandom) -> Trouble {
    let start = random.seconds(0...endSeconds)
    let kind: Kind =
      random.chance(8)
      ? random.element(of: [.guarded, .missing])
      : random.element(of: [.down, .silent, .busy, .failing, .portal, .cached, .cached, .spoiled])
    return Trouble(
      kind: kind, start: start, end: min(endSeconds, start + random.seconds(2...50)),
      retryAfterSeconds: random.chance(2) ? random.number(0...60) : nil)
  }
}
