import ListModel
import ListStore

/// A caller of a server, with the caller's rights.
public struct Caller: Hashable, Sendable {
  /// The caller where no token was ever made. May do everything.
  public static let anyone = Caller(token: nil)

  /// Nil for ``anyone``.
  let token: TokenRecord?

  /// The name of the caller's token; nil for ``anyone``.
  public var name: TokenName? { token?.name }

  public func mayRead(_ list: ListName) -> Bool { may(.read, list) }

  public func mayWrite(_ list: ListName) -> Bool { may(.write, list) }

  /// The patterns of the lists that the caller may read, in the order of the names, none of which
  /// matches two of them.
  var readable: [ListPattern] {
    let patterns = token.map { $0.grants.map(\.lists) } ?? [.all]
    return patterns.sorted().reduce(into: []) { kept, next in
      while let last = kept.last, next.includes(last) { kept.removeLast() }
      if kept.last?.includes(next) != true { kept.append(next) }
    }
  }

  /// - Complexity: O(grants of the token).
  private func may(_ right: AccessRight, _ list: ListName) -> Bool {
    token?.grants.contains { $0.allows(right, to: list) } ?? true
  }
}

extension ListReader {
  /// Whether the store still admits a caller: as ``AccessList/admits(_:)``, without the other
  /// tokens.
  package func admits(_ caller: Caller) throws -> Bool {
    guard let token = caller.token else { return try !hasTokens() }
    return try tokenInForce(token.name) == token
  }
}

extension Caller: CustomStringConvertible {
  /// The token's name, or `anyone`.
  public var description: String { name?.text ?? "anyone" }
}
