import ListModel
import StoreTestSupport
import SyncService
import Testing

struct ComparisonTests {
  @Test(arguments: [
    ("parks", "parks@head~1", "parks@head"), ("parks 5", "parks@5", "parks@head"),
    ("parks 5 7", "parks@5", "parks@7"), ("parks 5..7", "parks@5", "parks@7"),
    ("parks@5..7", "parks@5", "parks@7"), ("parks@spring..", "parks@spring", "parks@head"),
    ("parks@5", "parks@5", "parks@head"), ("parks@5 7", "parks@5", "parks@7"),
    ("parks@5 parks@7", "parks@5", "parks@7"), ("parks@5 films@7", "parks@5", "films@7"),
    ("parks films@7", "parks@head", "films@7"),
    ("parks@head films@head", "parks@head", "films@head"),
    ("parks@v1..v2", "parks@v1", "parks@v2"), ("parks a.b", "parks@a.b", "parks@head"),
    ("parks head~2..head~1", "parks@head~2", "parks@head~1"),
  ])
  func comparisonIsReadInEachForm(text: String, old: String, new: String) throws {
    let words = text.split(separator: " ").map(String.init)
    let comparison = try #require(Comparison(words))
    #expect(
      comparison
        == Comparison(from: try #require(ListRevision(old)), to: try #require(ListRevision(new))))
  }

  @Test(arguments: [
    "", "parks 1 2 3", "parks@1 films@2 3", "par ks@", "-x", "parks@1@2", "parks@", "parks 5..7 9",
    "parks@1..2 films@3", "parks ..", "parks ~",
  ])
  func otherWordsAreNoComparison(text: String) {
    #expect(Comparison(text.split(separator: " ").map(String.init)) == nil)
  }

  @Test func twoListsAreComparedByTheirItems() async throws {
    let test = try TestStore()
    let films = try #require(ListName("films"))
    let (a, b) = (try Snapshot.of("a", "b", "c=1"), try Snapshot.of("c=2", "a", "d"))
    _ = try await test.service.commit(.init(list: .parks, snapshot: a))
    _ = try await test.service.commit(.init(list: films, snapshot: b))
    let delta = try await test.service.difference(
      Comparison(from: ListRevision(.parks), to: ListRevision(films, .version(Version(1)))))
    #expect(delta.changes == a.changes(to: b))
    #expect(delta.list == nil)
    #expect(delta.from.root == Root(of: a) && delta.to.root == Root(of: b))
  }

  @Test func absentListOrVersionIsNamed() async throws {
    let test = try TestStore()
    _ = try await test.service.commit(.init(list: .parks, snapshot: try .of("a")))
    let films = try #require(ListName("films"))
    await #expect(throws: ServiceError.noSuchList(films)) {
      try await test.service.difference(
        Comparison(from: ListRevision(.parks), to: ListRevision(films)))
    }
    await #expect(throws: ServiceError.self) {
      try await test.service.state(of: ListRevision(.parks, .version(Version(2))))
    }
  }
}
