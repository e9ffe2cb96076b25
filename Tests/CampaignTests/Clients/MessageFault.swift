/// A fault of the network in one request or its answer.
enum MessageFault: String, CaseIterable, Sendable {
  case requestDropped, requestRepeated, answerDropped, answerRepeated
  /// The answer comes after half a minute or more, perhaps after the client gave up.
  case late
  /// The connection breaks within the answer; the client notices it.
  case cut
  /// The answer ends early but looks complete.
  case shortened
  /// One bit of the body is flipped.
  case flipped
  /// The body comes twice, one after the other.
  case doubled
  /// A cache gives an earlier answer of the same address, however old.
  case stale
  /// The answer is an earlier one to any query of any client.
  case another

  /// Faults that a client cannot notice at once are rare: two in a row end a replica.
  static let usual: [MessageFault] =
    [
      requestDropped, requestRepeated, answerDropped, answerRepeated, late, cut, stale,
    ].flatMap { [$0, $0] } + [shortened, flipped, doubled, another]

  /// Whether the received bytes may differ from the server's answer to this query.
  var falsifies: Bool {
    switch self {
    case .shortened, .flipped, .doubled, .another: true
    case .requestDropped, .requestRepeated, .answerDropped, .answerRepeated, .late, .cut, .stale:
      false
    }
  }
}
