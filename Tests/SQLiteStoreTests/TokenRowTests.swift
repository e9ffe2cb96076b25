import GRDB
import ListModel
import Testing

@testable import ListStore
@testable import SQLiteStore

@Suite struct TokenRowTests {
  private static func token(
    _ name: String, secret: String = "s", _ grants: [AccessGrant] = [AccessGrant(.read, .all)]
  ) -> TokenRecord {
    TokenRecord(
      name: TokenName(name)!, secretHash: TokenSecret(secret).hash,
      createdAt: Timestamp(millisecondsSince1970: 1_700_000_000_001), grants: grants)
  }

  @Test func tokensAreStoredUnchangedOrderedByNameAndReadAfterReopening() async throws {
    let folder = try StoreFolder()
    let grants = [AccessGrant(.read, .all), AccessGrant(.write, ListPattern("team-*")!)]
    let tokens = [Self.token("a", secret: "1", grants), Self.token("b", secret: "2")]
    do {
      let store = try folder.open()
      #expect(try await store.read { try $0.tokens() } == [])
      try await store.write { writer in
        for token in tokens.reversed() { try writer.addToken(token) }
      }
      #expect(try await store.read { try $0.tokens() } == tokens)
    }
    let store = try SQLiteStore(readingFrom: folder.path)
    #expect(try await store.read { try $0.tokens() } == tokens)
  }

  @Test func revokedTokenStaysOnRecordAndFreesItsName() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    defer { withExtendedLifetime(folder) {} }
    let time = Timestamp(millisecondsSince1970: 1_700_000_000_002)
    let (old, new) = (Self.token("a", secret: "1"), Self.token("a", secret: "2"))
    try await store.write { try $0.addToken(old) }
    await #expect(throws: StoreError.self) { try await store.write { try $0.addToken(new) } }
    try await store.write { writer in
      try writer.revokeToken(TokenName("b")!, at: time)
      try writer.revokeToken(TokenName("a")!, at: time)
      try writer.addToken(new)
    }
    #expect(try await store.read { try $0.tokens() } == [old.revoked(at: time), new])
    // Of two tokens with the name, only the one in force is revoked.
    let later = Timestamp(millisecondsSince1970: 1_700_000_000_003)
    try await store.write { try $0.revokeToken(TokenName("a")!, at: later) }
    #expect(
      try await store.read { try $0.tokens() } == [old.revoked(at: time), new.revoked(at: later)])
  }

  @Test(arguments: [
    "INSERT INTO tokens VALUES ('b', 1, zeroblob(31), 0, NULL, 'read *', 0)",
    "INSERT INTO tokens VALUES ('', 1, zeroblob(32), 0, NULL, 'read *', 0)",
    "INSERT INTO tokens VALUES ('a', 1, zeroblob(32), 0, NULL, 'read *', 0)",
    "INSERT INTO tokens VALUES ('b', 1, NULL, 0, NULL, 'read *', 0)",
    "INSERT INTO tokens VALUES ('b', 1, zeroblob(32), 'now', NULL, 'read *', 0)",
    "INSERT INTO tokens VALUES ('b', 1, zeroblob(32), 0, NULL, NULL, 0)",
  ])
  func schemaRefusesInvalidTokenRows(sql: String) async throws {
    let folder = try StoreFolder()
    try await folder.open().write { try $0.addToken(Self.token("a")) }
    #expect(throws: DatabaseError.self) { try folder.sql(sql) }
  }

  @Test(arguments: [
    "UPDATE tokens SET name = 'a b'", "UPDATE tokens SET grants = ''",
    "UPDATE tokens SET grants = 'read a*b'", "UPDATE tokens SET grants = 'own *'",
    "UPDATE tokens SET grants = grants || '\n\n'",
  ])
  func invalidTokenRowsAreReportedAndNeverReadAsTokens(sql: String) async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.write { try $0.addToken(Self.token("a")) }
    #expect(try await store.read { try $0.strayRowFaults() } == [])
    try folder.sql(sql)
    let damage = LogTable.tokens.brokenRules
    let faults = try await store.read { try $0.strayRowFaults() }
    #expect(faults.map { .corrupt(reason: $0) } == [damage])
    await #expect(throws: damage) { try await store.read { try $0.tokens() } }
  }

  @Test func secondTokenInForceOfANameIsReported() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.write { try $0.addToken(Self.token("a")) }
    try folder.sql(
      "INSERT INTO tokens SELECT name, 2, secret_hash, created_at, NULL, grants, 0 FROM tokens")
    #expect(
      try await store.read { try $0.strayRowFaults() }
        == ["a row of tokens breaks the rules of tokens"])
  }
}
