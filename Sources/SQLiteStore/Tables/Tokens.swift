import GRDB
import ListModel
import ListStore
import RawSQLite

extension StoreReader {
  func tokens() throws -> [TokenRecord] {
    // A store that is only read may be of an older schema.
    guard try schema >= Schema.firstWithTokens else { return [] }
    let grants = try grantsByToken()
    let statement = try RawStatement(
      self,
      """
      SELECT token_id, name, secret_hash, created_at, revoked_at, \(DigestedTable.tokens.isSound)
      FROM tokens
      ORDER BY name, token_id
      """)
    defer { statement.reset() }
    var tokens: [TokenRecord] = []
    while try statement.step() {
      tokens.append(try Self.token(statement, grants: grants[statement.integer(0)] ?? []))
    }
    return tokens
  }

  private static func token(
    _ statement: RawStatement, grants: [AccessGrant]
  ) throws -> TokenRecord {
    guard statement.integer(5) == 1 else { throw DigestedTable.tokens.damage }
    guard let name = TokenName(statement.text(1)),
      let hash = SecretHash(bytes: statement.bytes(2)), !grants.isEmpty
    else { throw StoreError.corrupt(reason: "a row of tokens breaks the rules of tokens") }
    return TokenRecord(
      name: name, secretHash: hash,
      createdAt: Timestamp(millisecondsSince1970: statement.integer(3)),
      revokedAt: statement.optionalInteger(4).map { Timestamp(millisecondsSince1970: $0) },
      grants: grants.sorted())
  }

  private func grantsByToken() throws -> [Int64: [AccessGrant]] {
    let statement = try RawStatement(
      self, "SELECT token_id, access, lists, \(DigestedTable.grants.isSound) FROM grants")
    defer { statement.reset() }
    var grants: [Int64: [AccessGrant]] = [:]
    while try statement.step() {
      guard statement.integer(3) == 1 else { throw DigestedTable.grants.damage }
      guard let right = AccessRight(rawValue: statement.text(1)),
        let lists = ListPattern(statement.text(2))
      else { throw StoreError.corrupt(reason: "a row of grants breaks the rules of grants") }
      grants[statement.integer(0), default: []].append(AccessGrant(right, lists))
    }
    return grants
  }

  /// Where the rows of tokens and grants break their rules.
  func tokenProblems() throws -> [String] {
    guard try schema >= Schema.firstWithTokens else { return [] }
    var problems: [String] = []
    do { _ = try tokens() } catch StoreError.corrupt(let reason) { problems.append(reason) }
    let strays = try Int64.fetchAll(
      db,
      sql: """
        SELECT DISTINCT token_id FROM grants WHERE token_id NOT IN (SELECT token_id FROM tokens)
        """)
    return problems
      + strays.map { "rows of grants belong to a token that is not there, number \($0)" }
  }
}

extension StoreWriter {
  func addToken(_ token: TokenRecord) throws {
    let key = try nextKey("token_id", in: "tokens")
    try RawStatement(self, DigestedTable.tokens.insertion()).run(
      .integer(key), .text(token.name.text), .blob(token.secretHash.bytes),
      .integer(token.createdAt.millisecondsSince1970),
      RawValue(token.revokedAt?.millisecondsSince1970))
    let insertion = try RawStatement(self, DigestedTable.grants.insertion())
    for grant in token.grants {
      try insertion.run(.integer(key), .text(grant.right.rawValue), .text(grant.lists.text))
    }
  }

  func revokeToken(_ name: TokenName, at time: Timestamp) throws {
    try RawStatement(
      self,
      """
      UPDATE tokens SET \(DigestedTable.tokens.assignments(["revoked_at": "?1"]))
      WHERE name = ?2 AND revoked_at IS NULL
      """
    ).run(.integer(time.millisecondsSince1970), .text(name.text))
  }
}
