import ListModel
import TestSupport
import Testing

@Suite struct SameItemTests {
  private func note(_ message: String?) -> CommitNote {
    CommitNote(time: Timestamp(millisecondsSince1970: 0), message: message)
  }

  @Test(arguments: [nil, "", "New codes", "Two\n\nlines\n"] as [String?])
  func messageWithOtherIDsIsReadAgain(_ text: String?) {
    let one = SameItem(old: "DE", new: "DEU")
    let others = ["a b", "", "a=b", "\"]\n", "a\u{1F}b", "\u{301}é\r\n\u{2028}", "\\"].map {
      SameItem(old: ItemID($0), new: ItemID("new \($0)"))
    }
    for items in [[one], [one] + others] {
      let message = items.message(text)
      let standard = items.count == 1 ? "Give an item another id" : "Give 8 items other ids"
      #expect(note(message).sameItems == items)
      #expect(note(message).text == text ?? standard)
      let merge = MergeNote(
        base: Cursor("5-3f9a1c2b7d40e1f0a2b4c6d8e0f11223")!,
        changes: "8c1d7e6f5a4b3c2d1e0f9a8b7c6d5e4f")
      let merged = note(merge.message(message))
      #expect(merged.merge == merge && merged.sameItems == items)
      #expect(merged.text == text ?? standard)
    }
    #expect([SameItem]().message(text) == text)
  }

  @Test(arguments: [
    "", "New codes", "Same-Item: [\"a\",\"b\"]", "x\nSame-Item: [\"a\",\"b\"]",
    "x\n\nSame-Item: [\"a\"]", "x\n\nSame-Item: [\"a\",1]", "x\n\nSame-Item: a b",
    "x\n\nSame-Item: [\"a\",\"b\"]\n", "x\n\nsame-item: [\"a\",\"b\"]",
    "x\n\nSame-Item: [\"a\",\"b\",\"c\"]",
  ])
  func otherMessagesNameNoItems(_ message: String) {
    #expect(note(message).sameItems.isEmpty)
    #expect(note(message).text == message)
  }
}
