import ListModel
import ListStore
import StoreTestSupport
import Testing

@testable import SyncService

@Suite struct AccessListTests {
  private static func token(_ name: String, isRevoked: Bool = false) -> TokenRecord {
    TokenRecord(
      name: TokenName(name)!, secretHash: TokenSecret("secret of \(name)").hash,
      createdAt: TestStore.noon, revokedAt: isRevoked ? TestStore.noon : nil,
      grants: [AccessGrant(.read, ListPattern(name)!)])
  }

  @Test func onlyTheSecretOfATokenInForceIdentifiesItsBearer() throws {
    let access = AccessList([Self.token("a"), Self.token("b", isRevoked: true), Self.token("c")])
    for name in ["a", "c"] {
      let caller = try #require(access.caller(presenting: "secret of \(name)"))
      #expect(caller.name?.text == name)
      #expect(caller.mayRead(ListName(name)!) && !caller.mayRead(.parks))
      #expect(!caller.mayWrite(ListName(name)!))
    }
    for secret in ["secret of b", "", "secret of ", "secret of a ", "Secret of a", "a"] {
      #expect(access.caller(presenting: secret) == nil, "\(secret)")
    }
  }

  /// A test cannot see constant time, but it can see that all tokens are compared.
  @Test func everyTokenInForceIsComparedWhicheverWasPresented() {
    let names = (0..<7).map { "t\($0)" }
    let tokens = names.map { Self.token($0) } + [Self.token("gone", isRevoked: true)]
    let access = AccessList(tokens)
    for presented in tokens {
      var compared: [SecretHash] = []
      let caller = access.caller { hash in
        compared.append(hash)
        return hash == presented.secretHash
      }
      #expect(compared == tokens.filter(\.isInForce).map(\.secretHash))
      #expect(caller?.name == (presented.isInForce ? presented.name : nil))
    }
  }

  @Test func storeThatNeverHadATokenAllowsEverythingToAnyone() {
    let access = AccessList([])
    #expect(access.isEmpty)
    #expect(access.caller(presenting: "") == nil)
    #expect(access.admits(.anyone))
    #expect(Caller.anyone.mayRead(.parks) && Caller.anyone.mayWrite(.parks))
    #expect(Caller.anyone.name == nil)
  }

  @Test func revokingTheLastTokenAdmitsNoOne() {
    let access = AccessList([Self.token("a", isRevoked: true)])
    #expect(!access.isEmpty && !access.admits(.anyone))
    #expect(access.caller(presenting: "secret of a") == nil)
  }

  @Test func callerIsAdmittedOnlyWhileItsTokenIsInForce() throws {
    let (a, b) = (Self.token("a"), Self.token("b"))
    let caller = try #require(AccessList([a, b]).caller(presenting: "secret of a"))
    #expect(AccessList([a, b]).admits(caller))
    #expect(AccessList([a]).admits(caller))
    #expect(!AccessList([a.revoked(at: TestStore.noon), b]).admits(caller))
    // Another token of the same name does not count.
    let again = TokenRecord(
      name: a.name, secretHash: TokenSecret("another").hash, createdAt: a.createdAt,
      grants: a.grants)
    #expect(!AccessList([a.revoked(at: TestStore.noon), again]).admits(caller))
    #expect(!AccessList([a]).admits(.anyone))
  }

  @Test func descriptionsOfACallerNeverRevealTheHash() throws {
    let caller = try #require(AccessList([Self.token("a")]).caller(presenting: "secret of a"))
    #expect("\(caller)" == "a" && "\(Caller.anyone)" == "anyone")
  }
}
