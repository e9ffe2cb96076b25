import Foundation
import GRDB
import ListModel

extension SQLiteReader {
  func tokens() throws -> [TokenRecord] {
    // A store that is only read may be of an older schema.
    guard try db.schema() >= Schema.firstWithTokens else { return [] }
    let grants = try grantsByToken()
    let statement = try RawStatement(
      self,
      """
      SELECT token_id, name, secret_hash, created_at, revoked_at FROM tokens
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
    let statement = try RawStatement(self, "SELECT token_id, access, lists FROM grants")
    defer { statement.reset() }
    var grants: [Int64: [AccessGrant]] = [:]
    while try statement.step() {
      guard let right = AccessRight(rawValue: statement.text(1)),
        let lists = ListPattern(statement.text(2))
      else { throw StoreError.corrupt(reason: "a row of grants breaks the rules of grants") }
      grants[statement.integer(0), default: []].append(AccessGrant(right, lists))
    }
    return grants
  }

  func addToken(_ token: TokenRecord) throws {
    try db.execute(
      sql: "INSERT INTO tokens (name, secret_hash, created_at, revoked_at) VALUES (?, ?, ?, ?)",
      arguments: [
        token.name.text, Data(token.secretHash.bytes), token.createdAt.millisecondsSince1970,
        token.revokedAt?.millisecondsSince1970,
      ])
    let key = db.lastInsertedRowID
    for grant in token.grants {
      try db.execute(
        sql: "INSERT INTO grants (token_id, access, lists) VALUES (?, ?, ?)",
        arguments: [key, grant.right.rawValue, grant.lists.text])
    }
  }

  func revokeToken(_ name: TokenName, at time: Timestamp) throws {
    try db.execute(
      sql: "UPDATE tokens SET revoked_at = ? WHERE name = ? AND revoked_at IS NULL",
      arguments: [time.millisecondsSince1970, name.text])
  }

  /// Where the rows of tokens and grants break their rules.
  func tokenProblems() throws -> [String] {
    guard try db.schema() >= Schema.firstWithTokens else { return [] }
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
