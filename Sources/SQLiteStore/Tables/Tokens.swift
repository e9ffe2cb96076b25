import GRDB
import ListModel
import ListStore
import RawSQLite

extension StoreReader {
  func tokens() throws -> [TokenRecord] {
    let grants = Dictionary(
      grouping: try rows(of: .grants, "token_id, access, lists", "", read: Self.grant), by: \.token)
    return try rows(of: .tokens, Self.tokenColumns, "ORDER BY name, token_id") { row in
      try Self.token(row, grants[row.integer(0)])
    }
  }

  func tokenInForce(_ name: TokenName) throws -> TokenRecord? {
    try rows(
      of: .tokens, Self.tokenColumns, "WHERE name = ? AND revoked_at IS NULL", .text(name.text)
    ) { row in
      let grants = try rows(
        of: .grants, "token_id, access, lists", "WHERE token_id = ?", .integer(row.integer(0)),
        read: Self.grant)
      return try Self.token(row, grants)
    }.first
  }

  func hasTokens() throws -> Bool {
    try !rows(of: .tokens, "token_id", "LIMIT 1") { _ in true }.isEmpty
  }

  private static let tokenColumns = "token_id, name, secret_hash, created_at, revoked_at"

  private static func token(
    _ row: RawStatement, _ grants: [(token: Int64, grant: AccessGrant)]?
  ) throws -> TokenRecord {
    guard let name = TokenName(row.text(1)), let hash = SecretHash(bytes: row.bytes(2)),
      let grants, !grants.isEmpty
    else { throw DigestedTable.tokens.brokenRules }
    return TokenRecord(
      name: name, secretHash: hash, createdAt: Timestamp(millisecondsSince1970: row.integer(3)),
      revokedAt: row.optionalInteger(4).map { Timestamp(millisecondsSince1970: $0) },
      grants: grants.map(\.grant).sorted())
  }

  private static func grant(_ row: RawStatement) throws -> (token: Int64, grant: AccessGrant) {
    guard let right = AccessRight(rawValue: row.text(1)), let lists = ListPattern(row.text(2))
    else { throw DigestedTable.grants.brokenRules }
    return (row.integer(0), AccessGrant(right, lists))
  }

  /// Rows of tokens and grants that break their rules.
  func tokenFaults() throws -> [String] {
    var faults: [String] = []
    do { _ = try tokens() } catch StoreError.corrupt(let reason) { faults.append(reason) }
    let strays = try Int64.fetchAll(
      db,
      sql: """
        SELECT DISTINCT token_id FROM grants WHERE token_id NOT IN (SELECT token_id FROM tokens)
        """)
    return faults
      + strays.map { "rows of grants belong to a token that is not there, number \($0)" }
  }
}

extension StoreWriter {
  func addToken(_ token: TokenRecord) throws {
    let key = try nextKey("token_id", in: "tokens")
    try insert(
      into: .tokens, .integer(key), .text(token.name.text), .blob(token.secretHash.bytes),
      RawValue(token.createdAt), RawValue(token.revokedAt?.millisecondsSince1970))
    for grant in token.grants {
      try insert(into: .grants, .integer(key), .text(grant.right.rawValue), .text(grant.lists.text))
    }
  }

  func revokeToken(_ name: TokenName, at time: Timestamp) throws {
    try RawStatement(
      self,
      """
      UPDATE tokens SET \(DigestedTable.tokens.assignments(["revoked_at": "?1"]))
      WHERE name = ?2 AND revoked_at IS NULL
      """
    ).run(RawValue(time), .text(name.text))
  }
}
