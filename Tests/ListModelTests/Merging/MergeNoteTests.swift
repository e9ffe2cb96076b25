import ListModel
import Testing

@Suite struct MergeNoteTests {
  private let note = MergeNote(
    base: Cursor("5-3f9a1c2b7d40e1f0a2b4c6d8e0f11223")!,
    changes: "8c1d7e6f5a4b3c2d1e0f9a8b7c6d5e4f")

  @Test(arguments: [nil, "", "Spring update", "Two\n\nlines\n"] as [String?])
  func messageOfAMergeIsReadAgain(_ text: String?) {
    let message = note.message(text)
    #expect(MergeNote(message: message) == note)
    let commit = CommitNote(time: Timestamp(millisecondsSince1970: 0), message: message)
    #expect(commit.merge == note)
    #expect(commit.text == text ?? "Merge changes to version 5")
  }

  @Test func otherMessagesAreNoMerges() {
    let message = note.message("Spring update")
    for other in [
      "", "Spring update", message + "\n", message + "x", String(message.dropLast()),
      message.replacing("Merge-Base: 5-3f", with: "Merge-Base: 5-3"),
      message.replacing("8c1d", with: "8C1d"), message.replacing("Merge-C", with: "merge-C"),
    ] {
      #expect(MergeNote(message: other) == nil, "\(other)")
    }
  }
}
