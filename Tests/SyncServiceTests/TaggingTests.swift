import ListModel
import ListStore
import StoreTestSupport
import SyncService
import Testing

@Suite struct TaggingTests {
  private let spring = TagName("spring")!

  private func storeOfThreeVersions() async throws -> TestStore {
    let test = try TestStore()
    for texts in [["a"], ["a", "b"], ["b"]] {
      _ = try await test.service.commit(.init(list: .parks, snapshot: try .of(texts)))
    }
    return test
  }

  @Test func tagIsAcceptedInPlaceOfAVersion() async throws {
    let test = try await storeOfThreeVersions()
    let tagged = try await test.service.tag(spring, of: .parks, at: .version(Version(2)))
    guard case .tagged(let entry) = tagged else {
      Issue.record("\(tagged)")
      return
    }
    #expect(entry.record.version == Version(2) && entry.tag.taggedAt == TestStore.noon)
    let revision = try #require(Revision("spring"))
    #expect(revision == .tag(spring) && revision.description == "spring")
    let shown = try await test.service.snapshot(of: .parks, at: revision)
    #expect(shown.state == entry.record.state)
    #expect(shown.snapshot == (try Snapshot.of("a", "b")))
    let delta = try await test.service.delta(of: .parks, since: revision)
    #expect(delta.from == shown.state)
  }

  @Test func newTagNamesTheHeadByDefault() async throws {
    let test = try await storeOfThreeVersions()
    #expect(try await test.service.tag(spring, of: .parks).entry.record.version == Version(3))
    #expect(try await test.service.tags(of: .parks).map(\.tag.version) == [Version(3)])
  }

  @Test func existingTagMovesOnlyByForce() async throws {
    let test = try await storeOfThreeVersions()
    _ = try await test.service.tag(spring, of: .parks, at: .version(Version(2)))
    await #expect(
      throws: ServiceError.tagTaken(spring, list: .parks, by: Version(2), not: Version(3))
    ) { try await test.service.tag(spring, of: .parks) }
    let again = try await test.service.tag(spring, of: .parks, at: .head(back: 1))
    guard case .unchanged = again else {
      Issue.record("\(again)")
      return
    }
    let moved = try await test.service.tag(spring, of: .parks, isForced: true)
    guard case .moved(let entry, from: Version(2)) = moved else {
      Issue.record("\(moved)")
      return
    }
    #expect(entry.tag.version == Version(3))
    #expect(try await test.service.tags(of: .parks) == [entry])
  }

  @Test func errorOfAMissingTagListsTheExistingTags() async throws {
    let test = try await storeOfThreeVersions()
    let (a, b) = (TagName("a")!, TagName("b")!)
    for name in [b, a] { _ = try await test.service.tag(name, of: .parks) }
    let refusal = ServiceError.noSuchTag(spring, list: .parks, known: [a, b])
    await #expect(throws: refusal) {
      try await test.service.snapshot(of: .parks, at: .tag(spring))
    }
    await #expect(throws: refusal) { try await test.service.removeTag(spring, of: .parks) }
    #expect(try await test.service.removeTag(a, of: .parks).version == Version(3))
    #expect(try await test.service.tags(of: .parks).map(\.tag.name) == [b])
  }

  @Test func tagsBelongToExactlyOneList() async throws {
    let test = try await storeOfThreeVersions()
    let films = try #require(ListName("films"))
    _ = try await test.service.commit(.init(list: films, snapshot: try .of("x")))
    _ = try await test.service.tag(spring, of: .parks, at: .version(Version(2)))
    _ = try await test.service.tag(spring, of: films)
    #expect(try await test.service.tags(of: .parks).map(\.tag.version) == [Version(2)])
    #expect(try await test.service.tags(of: films).map(\.tag.version) == [Version(1)])
  }

  @Test func versionZeroCannotBeTagged() async throws {
    let test = try await storeOfThreeVersions()
    for revision in [Revision.version(.zero), .head(back: 3)] {
      await #expect(throws: ServiceError.zeroTagged(spring, list: .parks)) {
        try await test.service.tag(spring, of: .parks, at: revision)
      }
    }
    await #expect(throws: ServiceError.self) {
      try await test.service.tag(spring, of: .parks, at: .version(Version(4)))
    }
    #expect(try await test.service.tags(of: .parks).isEmpty)
  }
}
