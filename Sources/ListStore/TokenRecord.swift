import ListModel

/// A token as stored, without its secret.
public struct TokenRecord: Hashable, Sendable {
  /// The name, unique among the tokens in force.
  public let name: TokenName
  public let secretHash: SecretHash
  public let createdAt: Timestamp
  /// The time of the revocation; nil while the token is in force.
  public package(set) var revokedAt: Timestamp?
  /// The grants, ascending, without repetitions.
  public let grants: [AccessGrant]

  public init(
    name: TokenName, secretHash: SecretHash, createdAt: Timestamp, revokedAt: Timestamp? = nil,
    grants: [AccessGrant]
  ) {
    self.name = name
    self.secretHash = secretHash
    self.createdAt = createdAt
    self.revokedAt = revokedAt
    self.grants = grants
  }

  public var isInForce: Bool { revokedAt == nil }

  /// Returns the same token, revoked.
  public func revoked(at time: Timestamp) -> TokenRecord {
    var token = self
    token.revokedAt = time
    return token
  }
}
