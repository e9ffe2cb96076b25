import ListModel
import ListStore

/// The tokens of a store at one moment. Finds the caller who presents a secret.
public struct AccessList: Sendable {
  /// Whether no token was ever made. False if all tokens were revoked: revoking the last one must
  /// not open the lists to everybody.
  public let isEmpty: Bool
  private let inForce: [TokenRecord]
  /// For ``admits(_:)``, whose duration may depend on the caller: it compares no secret.
  private let callers: Set<Caller>

  /// Admits nobody: used until the tokens are known.
  static let nobody = AccessList([], isEmpty: false)

  public init(_ tokens: [TokenRecord]) { self.init(tokens, isEmpty: tokens.isEmpty) }

  private init(_ tokens: [TokenRecord], isEmpty: Bool) {
    self.isEmpty = isEmpty
    inForce = tokens.filter(\.isInForce)
    callers = Set(inForce.map { Caller(token: $0) })
  }

  /// The caller who presents a secret; nil when no token in force has it.
  ///
  /// - Complexity: one SHA-256, and a comparison in constant time with every token in force, also
  ///   after a match.
  public func caller(presenting secret: String) -> Caller? {
    let secret = TokenSecret(secret)
    return caller { secret.matches($0) }
  }

  func caller(whoseHash isPresented: (SecretHash) -> Bool) -> Caller? {
    var caller: Caller?
    for token in inForce where isPresented(token.secretHash) { caller = Caller(token: token) }
    return caller
  }

  /// Whether an earlier caller is still admitted: the caller's token is still in force; for
  /// ``Caller/anyone``, no token was made.
  ///
  /// - Complexity: O(grants of the token).
  public func admits(_ caller: Caller) -> Bool {
    caller == .anyone ? isEmpty : callers.contains(caller)
  }
}
