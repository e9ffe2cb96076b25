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
    "INSERT INTO tokens VALUES (2, 'b', zeroblob(31), 0, NULL, 0)",
    "INSERT INTO tokens VALUES (2, '', zeroblob(32), 0, NULL, 0)",
    "INSERT INTO tokens VALUES (2, 'a', zeroblob(32), 0, NULL, 0)",
    "INSERT INTO tokens VALUES (2, 'b', NULL, 0, NULL, 0)",
    "INSERT INTO tokens VALUES (2, 'b', zeroblob(32), 'now', NULL, 0)",
    "INSERT INTO grants VALUES (1, 'own', 'parks', 0)",
    "INSERT INTO grants VALUES (1, 'write', '', 0)",
    "INSERT INTO grants VALUES (1, 'read', '*', 0)",
  ])
  func schemaRefusesInvalidTokenRows(sql: String) async throws {
    let folder = try StoreFolder()
    try await folder.open().write { try $0.addToken(Self.token("a")) }
    #expect(throws: DatabaseError.self) { try folder.sql(sql) }
  }

  @Test(arguments: [
    ("UPDATE tokens SET name = 'a b'", "a row of tokens breaks the rules of tokens"),
    ("DELETE FROM grants", "a row of tokens breaks the rules of tokens"),
    ("UPDATE grants SET lists = 'a*b'", "a row of grants breaks the rules of grants"),
  ])
  func invalidTokenRowsAreReportedAndNeverReadAsTokens(sql: String, reason: String) async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.write { try $0.addToken(Self.token("a")) }
    #expect(try await store.read { try $0.strayRowFaults() } == [])
    try folder.sql(sql)
    #expect(try await store.read { try $0.strayRowFaults() } == [reason])
    await #expect(throws: StoreError.corrupt(reason: reason)) {
      try await store.read { try $0.tokens() }
    }
  }

  @Test func grantsOfAMissingTokenAreReported() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.write { try $0.addToken(Self.token("a")) }
    try folder.sql("INSERT INTO grants VALUES (7, 'read', 'parks', 0)")
    #expect(
      try await store.read { try $0.strayRowFaults() }
        == ["rows of grants belong to a token that is not there, number 7"])
  }

  @Test func missingIndexOfNamesInForceIsReportedAsDamage() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try folder.sql("DROP INDEX tokens_in_force")
    #expect(
      try await store.read { try $0.strayRowFaults() }
        == ["the schema's index tokens_in_force is missing or altered"])
  }
}
