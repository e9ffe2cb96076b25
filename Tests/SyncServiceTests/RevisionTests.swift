import ListModel
import StoreTestSupport
import SyncService
import Testing

@Suite struct RevisionTests {
  @Test(arguments: [
    ("head", Revision.head(back: 0)), ("head~2", .head(back: 2)), ("0", .version(.zero)),
    ("7", .version(Version(7))), ("7-3f9a1c2b7d40", .cursor(Cursor(given: "7-3f9a1c2b7d40")!)),
    ("spring", .tag(TagName("spring")!)), ("v1.0", .tag(TagName("v1.0")!)),
    ("1916-08-25", .date(Timestamp.read("1916-08-25")!)),
    ("2026-11-21T11:37:00Z", .date(Timestamp.read("2026-11-21T11:37:00Z")!)),
  ])
  func everyFormOfARevisionIsRead(text: String, expected: Revision) {
    #expect(Revision(text) == expected)
  }

  @Test(arguments: [
    "", "HEAD", "head~", "head~-1", "-1", "+1", "7-3f9a", "7.0", "1916-13-01", "x~1",
  ])
  func otherTextsAreNotARevision(text: String) {
    #expect(Revision(text) == nil)
  }

  @Test func aDateNamesTheNewestVersionByTheEndOfThatDay() async throws {
    let test = try TestStore()
    let times = ["1872-03-01T00:00:00Z", "1890-09-25T12:00:00Z", "1890-09-25T18:00:00Z"]
    for (number, time) in times.enumerated() {
      var request = CommitRequest(list: .parks, snapshot: try .of("a=\(number)"))
      request.time = try #require(Timestamp.read(time)).start
      _ = try await test.service.commit(request)
    }
    let expected = [
      ("1872-03-01", 1), ("1890-09-24", 1), ("1890-09-25", 3), ("1890-09-25T12:00:00Z", 2),
      ("1890-09-25T11:59:59Z", 1), ("2020-01-01", 3),
    ]
    for (text, version) in expected {
      let revision = try #require(Revision(text))
      let state = try await test.service.snapshot(of: .parks, at: revision).state
      #expect(state.cursor?.version == Version(version), "\(text)")
    }
    await #expect(
      throws: ServiceError.noVersionAt(
        Timestamp.read("1872-02-29")!.end, list: .parks, first: Timestamp.read(times[0])!.start)
    ) { try await test.service.snapshot(of: .parks, at: try #require(Revision("1872-02-29"))) }
  }

  @Test func headRevisionsCountBackFromTheHead() async throws {
    let test = try TestStore()
    for number in 0..<3 {
      _ = try await test.service.commit(.init(list: .parks, snapshot: try .of("a=\(number)")))
    }
    for back in 0...3 {
      let state = try await test.service.snapshot(of: .parks, at: .head(back: back)).state
      #expect(state.cursor?.version == Version(3 - back))
    }
    await #expect(throws: ServiceError.self) {
      try await test.service.snapshot(of: .parks, at: .head(back: 4))
    }
  }
}
