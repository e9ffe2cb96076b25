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

  @Test("a token is made with what it grants, and its secret opens just that")
  func made() async throws {
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

  @Test("grants are kept once each, and reading not beside writing")
  func needed() async throws {
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

  @Test("no two secrets are alike")
  func unlike() async throws {
    let test = try TestStore()
    var secrets = Set<String>()
    for number in 0..<20 {
      let token = try await test.service.makeToken(
        named: TokenName("t\(number)")!, grants: [Self.read])
      secrets.insert(token.secret.text)
    }
    #expect(secrets.count == 20)
  }

  @Test("a name is taken while its token is in force")
  func taken() async throws {
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

  @Test("only a token in force can be revoked, and those that are in force are named")
  func noSuchToken() async throws {
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

  @Test("no file of the store ever holds a secret")
  func files() async throws {
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
      // Neither the text, nor without its prefix, nor the bytes that it stands for.
      let base64 = String(secret.dropFirst(4)).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
      let random = try #require(Data(base64Encoded: String(base64) + "="))
      #expect(random.count == 32)
      for part in [Data(secret.dropFirst(4).utf8), Data("lst_".utf8), random] {
        #expect(bytes.range(of: part) == nil, "token \(number)")
      }
    }
  }
}
