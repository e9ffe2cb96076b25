import Foundation
import ListModel
import ListStore
import SQLiteStore
import SyncService
import Testing

struct TokenVerbTests {
  private static func secret(_ outcome: CommandLineHarness.Outcome) throws -> String {
    let secret = String(outcome.text.dropLast())
    try #require(outcome.text == secret + "\n" && secret.hasPrefix("lst_") && secret.count == 47)
    return secret
  }

  private static func access(_ harness: CommandLineHarness) async throws -> AccessList {
    let store = try SQLiteStore(readingFrom: harness.url("listsync.db").path)
    return AccessList(try await store.read { try $0.tokens() })
  }

  @Test func onlyTheSecretIsPrintedOnceAndTheNoteGoesToStandardError() async throws {
    let harness = try await CommandLineHarness.withParks()
    let outcome = try await harness.succeed(
      "token", "create", "reader", "--read", "parks", "--write", "team-*", "--read", "films*")
    let secret = try Self.secret(outcome)
    #expect(
      outcome.errorText == """
        reader may read films*, read parks, write team-*; this is the only time its secret is \
        shown: keep it safe

        """)
    let caller = try #require(try await Self.access(harness).caller(presenting: secret))
    #expect(caller.name?.text == "reader" && caller.mayWrite(ListName("team-a")!))
    for verb in [
      ["token", "list"], ["token", "list", "--json"], ["stats"], ["verify"], ["verify", "--json"],
      ["lists"], ["token", "revoke", "nobody"], ["token", "create", "reader", "--read", "x"],
      ["token", "revoke", "reader", "--json"],
    ] {
      let outcome = try await harness.run(verb)
      #expect(!outcome.text.contains(secret.dropFirst(4)), "\(verb)")
      #expect(!outcome.errorText.contains(secret.dropFirst(4)), "\(verb)")
    }
    for bytes in harness.storeBytes() {
      #expect(bytes.range(of: Data(secret.dropFirst(4).utf8)) == nil)
    }
  }

  @Test func jsonOutputHasTheSecretBesideTheTokenFields() async throws {
    let harness = try CommandLineHarness()
    let created = try await harness.succeed("token", "create", "ci", "--write", "*", "--json")
      .json()
    let document = try #require(created as? [String: Any])
    #expect(Set(document.keys) == ["token", "created_at", "revoked_at", "grants", "secret"])
    let secret = try #require(document["secret"] as? String)
    #expect(try await Self.access(harness).caller(presenting: secret)?.name?.text == "ci")
    #expect(document["grants"] as? [[String: String]] == [["right": "write", "lists": "*"]])
    #expect(document["revoked_at"] is NSNull)
  }

  @Test func tokensAreListedByNameIncludingRevokedOnes() async throws {
    let harness = try await CommandLineHarness.withParks()
    let none = try await harness.succeed("token", "list")
    #expect(none.text == "" && none.errorText.hasPrefix("no tokens yet; 'listsync token create"))
    #expect(try await harness.succeed("token", "list", "--json").text == "[]\n")
    try await harness.succeed("token", "create", "reader", "--read", "parks")
    try await harness.succeed("token", "create", "ci", "--write", "*")
    let revoked = try await harness.succeed("token", "revoke", "reader")
    #expect(revoked.text == "reader: revoked; it granted read parks\n")
    try await harness.succeed("token", "create", "reader", "--read", "films")
    let lines = try await harness.succeed("token", "list").lines
    #expect(lines.count == 3)
    for (line, (start, end)) in zip(
      lines,
      [
        ("ci      made 20", "Z  write *"), ("reader  revoked 20", "Z  read parks"),
        ("reader  made 20", "Z  read films"),
      ])
    {
      #expect(line.hasPrefix(start) && line.hasSuffix(end), "\(line)")
    }
    let json = try await harness.succeed("token", "list", "--json").json()
    let documents = try #require(json as? [[String: Any]])
    #expect(documents.map { $0["token"] as? String } == ["ci", "reader", "reader"])
    #expect(documents.map { $0["revoked_at"] is NSNull } == [true, false, true])
    for document in documents {
      #expect(Set(document.keys) == ["token", "created_at", "revoked_at", "grants"])
    }
  }

  @Test func revokedTokenOpensNothingAndFreesItsName() async throws {
    let harness = try await CommandLineHarness.withParks()
    let made = try await harness.succeed("token", "create", "reader", "--read", "*")
    let secret = try Self.secret(made)
    expectRefusal(
      try await harness.run("token", "create", "reader", "--read", "*"), code: 1,
      says: ["there is a token 'reader' already", "listsync token revoke reader"])
    let json = try await harness.succeed("token", "revoke", "reader", "--json").json()
    let document = try #require(json as? [String: Any])
    #expect(document["token"] as? String == "reader" && document["revoked_at"] is String)
    let access = try await Self.access(harness)
    #expect(access.caller(presenting: secret) == nil && !access.admits(.anyone))
    expectRefusal(
      try await harness.run("token", "revoke", "reader"), code: 3,
      says: ["there is no valid token 'reader'; there are none yet", "listsync token list"])
    try await harness.succeed("token", "create", "reader", "--read", "*")
  }

  @Test(arguments: [
    ["token", "create", "reader"], ["token", "create", "a b", "--read", "parks"],
    ["token", "create", "reader", "--read", "a*b"], ["token", "create", "reader", "--write", ""],
    ["token", "create", "reader", "--read", "parks", "films"], ["token", "revoke", "a b"],
    ["token", "create", "--read", "parks"], ["token", "revoke"], ["token", "lists"],
  ])
  func invalidTokenOrListArgumentsAreAUsageError(arguments: [String]) async throws {
    let harness = try await CommandLineHarness.withParks()
    let bytes = harness.storeBytes()
    expectRefusal(try await harness.run(arguments), code: 2, says: ["Error: "])
    #expect(harness.storeBytes() == bytes)
  }

  @Test func backupHasTheTokensAndABundleHasNone() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("token", "create", "reader", "--read", "parks")
    let tokens = try await harness.succeed("token", "list", "--json").text
    try await harness.succeed("backup", "copy.db")
    #expect(
      try await harness.succeed("token", "list", "--json", "--store", "copy.db").text == tokens)
    try await harness.succeed("bundle", "create", "parks", "-o", "parks.bundle")
    try await harness.succeed("bundle", "apply", "parks.bundle", "--store", "other.db")
    #expect(
      try await harness.succeed("token", "list", "--json", "--store", "other.db").text == "[]\n")
  }

  @Test func tokenCanBeCreatedBeforeTheFirstCommitInANewStore() async throws {
    let harness = try CommandLineHarness()
    for verb in [["token", "list"], ["token", "revoke", "reader"]] {
      expectRefusal(try await harness.run(verb), code: 1, says: ["there is no store"])
    }
    try await harness.succeed("token", "create", "reader", "--read", "parks")
    #expect(try await harness.succeed("token", "list").lines.count == 1)
  }

  @Test func invalidTokenRowFailsVerifyAndBlocksListingTokens() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("token", "create", "reader", "--read", "parks")
    try harness.change("UPDATE tokens SET grants = 'read a*b'")
    let reason = "a row of tokens breaks the rules of tokens"
    expectRefusal(try await harness.run("token", "list"), code: 6, says: [reason])
    let verified = try await harness.run("verify")
    #expect(verified.exitCode == 6 && verified.errorText.contains(reason))
  }
}
