import ListDocuments
import ListModel
import Testing

struct ChangedListsTests {
  private static let cursor = "7-3f9a1c2b7d40c5e6918f20aa3b7714de"
  private static let text = """
    {"mark":"9d3fa1c27b40e518-41","all":false,"more":true,"other":1,
    "lists":[{"list":"parks","head":{"cursor":"\(cursor)","version":7},"oldest":1}],
    "gone":["forests"]}
    """

  @Test func changedListsAreRead() throws {
    let changes = try ChangedLists(Array(Self.text.utf8))
    #expect(changes.mark == "9d3fa1c27b40e518-41" && !changes.isAll && changes.hasMore)
    #expect(changes.heads == [ListName("parks")!: Cursor(Self.cursor)!])
    #expect(changes.gone == [ListName("forests")!])
  }

  @Test(arguments: [
    ("9d3fa1c27b40e518-41", "a b"), ("9d3fa1c27b40e518-41", "a&wait=1"),
    ("9d3fa1c27b40e518-41", ""), (#""all":false,"#, ""), (#""more":true"#, #""more":1"#),
    (#""gone":["forests"]"#, #""gone":["."]"#), (cursor, "7"), (#""lists":["#, #""lists":[1,"#),
  ])
  func otherDocumentsAreRefused(part: String, other: String) {
    let text = Self.text.replacing(part, with: other)
    #expect(throws: DeltaError.self) { try ChangedLists(Array(text.utf8)) }
  }
}
