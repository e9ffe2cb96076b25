import TestSupport

/// A lasting fault of the whole server, or of the network before it.
struct Trouble: Sendable, CustomStringConvertible {
  enum Kind: String, CaseIterable, Sendable {
    /// No answer; connections are refused.
    case down
    /// Requests vanish.
    case silent
    case busy, failing, guarded, missing
    /// The network asks for a login.
    case portal
    /// A cache answers with any earlier answer of the same address, and does not ask the server.
    case cached
    /// An intermediary doubles every message.
    case spoiled
  }

  let kind: Kind
  let start: Double
  let end: Double
  /// The value of `Retry-After`, in addition to the server's own; nil for none.
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
