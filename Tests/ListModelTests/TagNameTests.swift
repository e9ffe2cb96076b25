import ListModel
import Testing

@Suite struct TagNameTests {
  @Test(arguments: [
    "spring", "v1.0", "_", "Header", "head-2", "release_2026.1", "x",
    String(repeating: "a", count: 100),
  ])
  func everyValidTagNameIsAccepted(_ text: String) {
    #expect(TagName(text)?.text == text)
  }

  @Test(arguments: [
    "", "7", "0", "head", "HEAD", "Head", "head~2", "7-3f9a1c2b7d40", "2026-11-21", "2026-spring",
    "2026-11-21T11:37:00Z", "-d", ".x", "a b", "a@b", "a/b", "é", "a\n", "a~1",
    String(repeating: "a", count: 101),
  ])
  func everyInvalidTagNameIsRefused(_ text: String) {
    #expect(TagName(text) == nil)
  }

  @Test func namesAreOrderedByTheirBytes() throws {
    let names = try ["b", "_", "B", "a1", "a"].map { try #require(TagName($0)) }
    #expect(names.sorted().map(\.text) == ["B", "_", "a", "a1", "b"])
  }
}
