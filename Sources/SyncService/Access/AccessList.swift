import ListModel
import ListStore

/// The tokens of a store at one moment: who a caller is, by the secret that they present.
public struct AccessList: Sendable {
  /// Whether no token was ever made, so that nobody can present one. Where all were revoked this is
  /// false: revoking the last token must not open the lists to everybody.
  public let isEmpty: Bool
  private let inForce: [TokenRecord]
  /// What is asked of callers who were let in before; nothing secret depends on how long that takes.
  private let callers: Set<Caller>

  /// For as long as the tokens are not known.
  static let nobody = AccessList([], isEmpty: false)

  public init(_ tokens: [TokenRecord]) {
    self.init(tokens, isEmpty: tokens.isEmpty)
  }

  private init(_ tokens: [TokenRecord], isEmpty: Bool) {
    self.isEmpty = isEmpty
    inForce = tokens.filter(\.isInForce)
    callers = Set(inForce.map { Caller(token: $0) })
  }

  /// The caller who presents a secret; nil when it is that of no token in force.
  ///
  /// - Complexity: one SHA-256, and a comparison in constant time with every token in force, whether
  ///   or not one before it is the one.
  public func caller(presenting secret: String) -> Caller? {
    let secret = TokenSecret(secret)
    return caller { secret.matches($0) }
  }

  func caller(whoseHash isPresented: (SecretHash) -> Bool) -> Caller? {
    var caller: Caller?
    for token in inForce where isPresented(token.secretHash) { caller = Caller(token: token) }
    return caller
  }

  /// Whether a caller who was let in would be let in again: their token was not revoked meanwhile;
  /// for anyone, no token was made meanwhile.
  ///
  /// - Complexity: O(grants of the token).
  public func admits(_ caller: Caller) -> Bool {
    caller == .anyone ? isEmpty : callers.contains(caller)
  }
}
