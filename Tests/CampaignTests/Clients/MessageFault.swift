/// What the network does to one request or its answer.
enum MessageFault: String, CaseIterable, Sendable {
  case requestDropped, requestRepeated, answerDropped, answerRepeated
  /// The answer comes after half a minute or more: perhaps when it was given up.
  case late
  /// The connection breaks within the answer, which the client notices.
  case cut
  /// The answer ends early, and looks whole.
  case shortened
  /// One bit of the body is another.
  case flipped
  /// The body comes twice, one after the other.
  case doubled
  /// A cache gives what it had for the same address, however old.
  case stale
  /// The answer is one that was given before, to whatever question of whatever client.
  case another

  /// Those that leave no trace for the client to notice at once are the rarer ones: two in a row end
  /// a replica.
  static let usual: [MessageFault] =
    [
      requestDropped, requestRepeated, answerDropped, answerRepeated, late, cut, stale,
    ].flatMap { [$0, $0] } + [shortened, flipped, doubled, another]

  /// Whether what arrives may be other bytes than the server gave to this question.
  var falsifies: Bool {
    switch self {
    case .shortened, .flipped, .doubled, .another: true
    case .requestDropped, .requestRepeated, .answerDropped, .answerRepeated, .late, .cut, .stale:
      false
    }
  }
}
