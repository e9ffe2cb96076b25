import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Whole lists whose ids another rule finds.
@Suite struct NewIDsTests {
  private static let (code, iso) = (#"["code"]"#, #"["iso"]"#)

  private func request(_ rule: String?, _ ids: String...) throws -> CommitRequest {
    var request = CommitRequest(list: .parks, snapshot: try .of(ids))
    request.idRule = rule
    return request
  }

  @Test func listWithoutAnyFormerIDIsRefusedUnlessItIsAllowed() async throws {
    let test = try TestStore()
    _ = try await test.service.commit(try request(Self.code, "a", "b", "c"))
    let other = try request(Self.iso, "x", "y")
    let refusal = ServiceError.newIDs(3, list: .parks, rule: Self.iso, former: Self.code)
    let before = try await StoreAnswers(of: test.service)
    await #expect(throws: refusal) { try await test.service.commit(other) }
    await #expect(throws: refusal) { try await test.service.preview(other) }
    #expect(try await StoreAnswers(of: test.service) == before)
    var allowed = other
    allowed.allowsNewIDs = true
    _ = try await test.service.commit(allowed)
    #expect(try await test.service.idRule(of: .parks) == Self.iso)
  }

  @Test func standardRuleIsTheFormerOneOfAListThatRemembersNone() async throws {
    let test = try TestStore()
    _ = try await test.service.commit(try request(nil, "a"))
    _ = try await test.service.commit(try request(#"["id"]"#, "b"))
    let refusal = ServiceError.newIDs(1, list: .parks, rule: Self.iso, former: #"["id"]"#)
    await #expect(throws: refusal) { try await test.service.commit(try request(Self.iso, "c")) }
  }

  @Test func oneFormerIDOrTheSameRuleOrAnEmptyListIsEnough() async throws {
    let test = try TestStore()
    _ = try await test.service.commit(try request(Self.code, "a", "b"))
    _ = try await test.service.commit(try request(Self.code, "c", "d"))
    _ = try await test.service.commit(try request(nil, "e", "f"))
    _ = try await test.service.commit(try request(Self.iso, "f", "g"))
    _ = try await test.service.commit(try request(Self.code))
    _ = try await test.service.commit(try request(Self.iso, "h"))
    #expect(try await test.service.state(of: ListRevision(.parks)).version == Version(6))
  }
}
