import Foundation
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import Testing

@testable import SyncService

@Suite struct TokenTests {
  private static let reader = TokenName("reader")!
  private static let read = AccessGrant(.read, .all)

  @Test func newTokenHasItsGrantsAndItsSecretOpensExactlyThose() async throws {
    let test = try TestStore()
    let grants = [
      AccessGrant(.write, ListPattern("team-*")!), AccessGrant(.read, ListPattern("parks")!),
    ]
    let token = try await test.service.makeToken(named: Self.reader, grants: grants)
    #expect(token.record.createdAt == TestStore.noon && token.record.isInForce)
    #expect(try await test.service.tokens() == [token.record])
    let caller = try #require(
      AccessList(await test.service.tokens()).caller(presenting: token.secret.text))
    #expect(caller.name == Self.reader)
    #expect(caller.mayRead(.parks) && !caller.mayWrite(.parks))
    #expect(caller.mayRead(ListName("team-a")!) && caller.mayWrite(ListName("team-a")!))
    #expect(!caller.mayRead(ListName("films")!) && !caller.mayWrite(ListName("films")!))
  }

  @Test func grantsAreStoredOnceAndReadIsDroppedBesideWrite() async throws {
    let test = try TestStore()
    let (parks, all) = (ListPattern("parks")!, ListPattern.all)
    let grants = [
      AccessGrant(.write, parks), AccessGrant(.read, all), AccessGrant(.read, parks),
      AccessGrant(.read, all),
    ]
    let token = try await test.service.makeToken(named: Self.reader, grants: grants)
    #expect(token.record.grants == [AccessGrant(.read, all), AccessGrant(.write, parks)])
    #expect(try await test.service.tokens() == [token.record])
  }

  @Test func everySecretIsDifferent() async throws {
    let test = try TestStore()
    var secrets = Set<String>()
    for number in 0..<20 {
      let token = try await test.service.makeToken(
        named: TokenName("t\(number)")!, grants: [Self.read])
      secrets.insert(token.secret.text)
    }
    #expect(secrets.count == 20)
  }

  @Test func tokenNameIsTakenWhileItsTokenIsInForce() async throws {
    let test = try TestStore()
    let first = try await test.service.makeToken(named: Self.reader, grants: [Self.read])
    await #expect(throws: ServiceError.tokenTaken(Self.reader)) {
      try await test.service.makeToken(named: Self.reader, grants: [Self.read])
    }
    #expect(try await test.service.tokens() == [first.record])
    try await test.service.revokeToken(named: Self.reader)
    let second = try await test.service.makeToken(named: Self.reader, grants: [Self.read])
    let access = AccessList(try await test.service.tokens())
    #expect(access.caller(presenting: first.secret.text) == nil)
    #expect(access.caller(presenting: second.secret.text)?.name == Self.reader)
  }

  /// The refusal names the tokens in force.
  @Test func onlyATokenInForceCanBeRevokedAndTheOthersAreNamed() async throws {
    let test = try TestStore()
    await #expect(throws: ServiceError.noSuchToken(Self.reader, known: [])) {
      try await test.service.revokeToken(named: Self.reader)
    }
    let token = try await test.service.makeToken(named: Self.reader, grants: [Self.read])
    _ = try await test.service.makeToken(named: TokenName("editor")!, grants: [Self.read])
    #expect(
      try await test.service.revokeToken(named: Self.reader)
        == token.record.revoked(at: TestStore.noon))
    await #expect(throws: ServiceError.noSuchToken(Self.reader, known: [TokenName("editor")!])) {
      try await test.service.revokeToken(named: Self.reader)
    }
  }

  @Test func noStoreFileEverHoldsASecret() async throws {
    let test = try TestStore()
    for number in 0..<50 {
      let name = TokenName("t\(number)")!
      let secret = try await test.service.makeToken(named: name, grants: [Self.read]).secret.text
      if number % 2 == 0 { try await test.service.revokeToken(named: name) }
      if number % 10 == 0 { _ = try await test.store.vacuum() }
      var bytes = Data()
      for ending in ["", "-wal", "-shm"] {
        bytes += try Data(contentsOf: URL(fileURLWithPath: test.path + ending))
      }
      #expect(bytes.range(of: Data(name.text.utf8)) != nil)
      #expect(bytes.range(of: Data(TokenSecret(secret).hash.bytes)) != nil)
      // It holds neither the text, nor the text without prefix, nor the bytes of the secret.
      let base64 = String(secret.dropFirst(4)).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
      let random = try #require(Data(base64Encoded: String(base64) + "="))
      #expect(random.count == 32)
      for part in [Data(secret.dropFirst(4).utf8), Data("lst_".utf8), random] {
        #expect(bytes.range(of: part) == nil, "token \(number)")
      }
    }
  }
}
