import ListModel
import ListStore

extension PostgresReader {
  func tokens() throws -> [TokenRecord] {
    let grants = Dictionary(
      grouping: try rows(of: .grants, "", read: Self.grant), by: \.token)
    return try rows(of: .tokens, "ORDER BY name, token_id") { row in
      try Self.token(row, grants[row.integer(0)])
    }
  }

  func tokenInForce(_ name: TokenName) throws -> TokenRecord? {
    let tokens = "\(self.name(.tokens)) WHERE name = $1 AND revoked_at IS NULL"
    let selection = "WHERE token_id = (SELECT token_id FROM \(tokens))"
    let grants = try rows(of: .grants, selection, .text(name.text), read: Self.grant)
    return try rows(of: .tokens, selection, .text(name.text)) { row in
      try Self.token(row, grants)
    }.first
  }

  func hasTokens() throws -> Bool {
    try !rows(of: .tokens, "LIMIT 1") { _ in true }.isEmpty
  }

  private static func token(
    _ row: SoundRow, _ grants: [(token: Int64, grant: AccessGrant)]?
  ) throws -> TokenRecord {
    guard let name = TokenName(row.text(1)), let hash = SecretHash(bytes: row.bytes(2)),
      let grants, !grants.isEmpty
    else { throw Table.tokens.brokenRules }
    return TokenRecord(
      name: name, secretHash: hash, createdAt: Timestamp(millisecondsSince1970: row.integer(3)),
      revokedAt: row.optionalInteger(4).map { Timestamp(millisecondsSince1970: $0) },
      grants: grants.map(\.grant).sorted())
  }

  private static func grant(_ row: SoundRow) throws -> (token: Int64, grant: AccessGrant) {
    guard let right = AccessRight(rawValue: row.text(1)), let lists = ListPattern(row.text(2))
    else { throw Table.grants.brokenRules }
    return (row.integer(0), AccessGrant(right, lists))
  }
}

extension PostgresWriter {
  func addToken(_ token: TokenRecord) throws {
    let key = try nextKey(of: .tokens)
    changedKeys.insert(0)
    try insert(token, key)
    for grant in token.grants {
      insert(
        into: .grants, .integer(key), .text(grant.right.rawValue), .text(grant.lists.text))
    }
  }

  private func insert(_ token: TokenRecord, _ key: Int64) throws {
    insert(
      into: .tokens, .integer(key), .text(token.name.text), .bytes(token.secretHash.bytes),
      Value(token.createdAt), Value(token.revokedAt?.millisecondsSince1970))
  }

  func revokeToken(_ name: TokenName, at time: Timestamp) throws {
    let inForce = try rows(
      of: .tokens, "WHERE name = $1 AND revoked_at IS NULL FOR UPDATE", .text(name.text)
    ) { ($0.integer(0), $0.bytes(2), $0.integer(3)) }
    for (key, hash, createdAt) in inForce {
      changedKeys.insert(0)
      insert(
        into: .tokens, .integer(key), .text(name.text), .bytes(hash), .integer(createdAt),
        Value(time))
    }
  }
}
