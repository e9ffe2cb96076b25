import ListModel
import ListStore

/// A new token with its secret, which cannot be read again.
public struct NewToken: Sendable {
  public let record: TokenRecord
  public let secret: TokenSecret
}

extension SyncService {
  /// Makes a token with at least one right. Grants that others include are left out.
  ///
  /// - Throws: `ServiceError.tokenTaken`.
  public func makeToken(named name: TokenName, grants: [AccessGrant]) async throws -> NewToken {
    precondition(!grants.isEmpty, "a token grants something")
    var random = SystemRandomNumberGenerator()
    let secret = TokenSecret.make(using: &random)
    let record = TokenRecord(
      name: name, secretHash: secret.hash, createdAt: now(), grants: Self.needed(of: grants))
    try await store.write { writer in
      guard try writer.tokenInForce(name) == nil else { throw ServiceError.tokenTaken(name) }
      try writer.addToken(record)
    }
    return NewToken(record: record, secret: secret)
  }

  /// Removes repetitions, and `read` for the lists of a `write`.
  private static func needed(of grants: [AccessGrant]) -> [AccessGrant] {
    let all = Set(grants)
    return all.filter { $0.right == .write || !all.contains(AccessGrant(.write, $0.lists)) }
      .sorted()
  }

  /// Revokes the token of a name. Its record is kept, and its name may be used again.
  ///
  /// - Throws: `ServiceError.noSuchToken` when none of that name is in force.
  @discardableResult
  public func revokeToken(named name: TokenName) async throws -> TokenRecord {
    let time = now()
    return try await store.write { writer in
      guard let token = try writer.tokenInForce(name) else {
        let known = try writer.tokens().filter(\.isInForce).map(\.name)
        throw ServiceError.noSuchToken(name, known: known)
      }
      try writer.revokeToken(name, at: time)
      return token.revoked(at: time)
    }
  }

  /// All tokens, including revoked ones, by name, and the oldest first among equal names.
  public func tokens() async throws -> [TokenRecord] {
    try await store.read { try $0.tokens() }
  }
}
