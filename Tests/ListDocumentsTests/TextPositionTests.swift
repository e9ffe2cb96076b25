import ListDocuments
import Testing

@Suite struct TextPositionTests {
  @Test(arguments: [
    ("", 0, 1, 1),
    ("abc", 0, 1, 1),
    ("abc", 2, 1, 3),
    ("abc", 3, 1, 4),
    ("ab\ncd", 2, 1, 3),
    ("ab\ncd", 3, 2, 1),
    ("ab\ncd", 4, 2, 2),
    ("\n\n\n", 3, 4, 1),
    ("a\r\nb", 3, 2, 1),
  ])
  func linesAndColumnsCountFromOne(text: String, offset: Int, line: Int, column: Int) {
    let position = TextPosition(offset: offset, in: Array(text.utf8))
    #expect([position.line, position.column] == [line, column])
    #expect(position.offset == offset)
  }

  /// "é" has 2 bytes, "€" 3 and "😀" 4; each is one column.
  @Test(arguments: [
    ("é,x", 3, 3), ("€,x", 4, 3), ("😀,x", 5, 3), ("\n😀é€x", 10, 4), ("e\u{301}x", 3, 3),
  ])
  func columnsCountCharactersInsteadOfBytes(text: String, offset: Int, column: Int) {
    #expect(TextPosition(offset: offset, in: Array(text.utf8)).column == column)
  }

  @Test func carriageReturnAloneEndsALine() {
    let bytes = Array("ab\rcd\r\nef\r".utf8)
    let lines = bytes.indices.map { TextPosition(offset: $0, in: bytes).line }
    #expect(lines == [1, 1, 1, 2, 2, 2, 2, 3, 3, 3])
    #expect(TextPosition(offset: 4, in: bytes).column == 2)
    #expect(TextPosition(offset: bytes.count, in: bytes).line == 4)
  }

  /// Editors do not show the mark as a character.
  @Test func byteOrderMarkOccupiesNoColumn() {
    let bytes = byteOrderMark + Array("ab\ncd".utf8)
    let position = TextPosition(offset: 4, in: bytes)
    #expect([position.line, position.column, position.offset] == [1, 2, 4])
    #expect(TextPosition(offset: 3, in: bytes).column == 1)
    #expect(TextPosition(offset: 7, in: bytes).column == 2)
  }

  @Test func bytesThatAreNotUTF8HaveALineAndColumn() {
    let position = TextPosition(offset: 3, in: [0x61, 0x0A, 0xFF, 0xFE])
    #expect([position.line, position.column] == [2, 2])
  }

  @Test func positionIsDescribedByLineAndColumn() {
    #expect("\(TextPosition(offset: 4, in: Array("ab\ncd".utf8)))" == "line 2, column 2")
  }
}
