import Testing

@testable import ListDocuments

@Suite struct CSVScannerTests {
  private func rows(_ text: String, separator: Unicode.Scalar = ",") throws -> [[String]] {
    let bytes = Array(text.utf8)
    var scanner = CSVScanner(bytes, separator: UInt8(ascii: separator))
    var rows: [[String]] = []
    while let row = try scanner.row() {
      rows.append(row.map { String(decoding: $0.bytes(in: bytes), as: UTF8.self) })
    }
    return rows
  }

  @Test(
    arguments: [
      ("a,b", [["a", "b"]]),
      ("a,b\n", [["a", "b"]]),
      (",", [["", ""]]),
      ("a,\n,b", [["a", ""], ["", "b"]]),
      (" a , b ", [[" a ", " b "]]),
      // Quoted cells.
      (#""a","b""#, [["a", "b"]]),
      (#""a,b",c"#, [["a,b", "c"]]),
      (#""say ""hi""""#, [[#"say "hi""#]]),
      (#""""""#, [["\""]]),
      (#""""#, [[""]]),
      ("\"\",\"\"", [["", ""]]),
      ("\"\"\",\"\"\",\"x\"", [["\",\"", "x"]]),
      ("\"a\nb\",c\nd", [["a\nb", "c"], ["d"]]),
      ("\"a\r\nb\"\r\n\"\r\"", [["a\r\nb"], ["\r"]]),
      ("\"\n\n\"", [["\n\n"]]),
      // A quote inside a cell that does not start with one.
      (#"a"b,5" pipe"#, [[#"a"b"#, #"5" pipe"#]]),
      (#" "a""#, [[#" "a""#]]),
      // Other characters.
      ("é,😀\n\"é😀\"", [["é", "😀"], ["é😀"]]),
      ("a\tb;c|d", [["a\tb;c|d"]]),
    ] as [(String, [[String]])])
  func cellsAreSplitByRFC4180(text: String, expected: [[String]]) throws {
    #expect(try rows(text) == expected)
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func everyLineEndEndsARow(end: String) throws {
    #expect(try rows("a,b\(end)c,d\(end)") == [["a", "b"], ["c", "d"]])
    #expect(try rows("a,b\(end)c,d") == [["a", "b"], ["c", "d"]])
    let blankLines = "\(end)a\(end)\(end)\(end)\"\"\(end)\(end)b\(end)\(end)"
    #expect(try rows(blankLines) == [["a"], [""], ["b"]])
  }

  @Test(arguments: ["\t", ";", "|", ":"] as [Unicode.Scalar])
  func everyAllowedSeparatorSplitsCells(separator: Unicode.Scalar) throws {
    let text = "a\(separator)b,c\(separator)\"d\(separator)\"\(separator)"
    #expect(try rows(text, separator: separator) == [["a", "b,c", "d\(separator)", ""]])
  }

  @Test func byteOrderMarkIsNotPartOfTheFirstCell() throws {
    #expect(try rows("\u{FEFF}a,b") == [["a", "b"]])
    #expect(try rows("\u{FEFF}\"a,b\"") == [["a,b"]])
    #expect(try rows("a,\u{FEFF}b") == [["a", "\u{FEFF}b"]])
  }

  @Test(arguments: [
    ("id\n\"a", 3),
    ("id,\"a\n\nb,c\n", 3),
    (#"a,"b""c"#, 2),
    ("é,\"", 3),
    ("\"", 0),
    (#"a,"b","c""d"#, 6),
  ])
  func unclosedQuoteIsRefusedAtItsOpeningPosition(text: String, offset: Int) {
    let place = TextPosition(offset: offset, in: Array(text.utf8))
    #expect(throws: SnapshotError.csv(.unclosedQuote, at: place)) { try rows(text) }
  }

  @Test(arguments: [
    (#""a"b,c"#, 3), (#""a" ,c"#, 3), ("id\n\"é\"x", 7), (#""a""b"c"#, 6), (#"a,"b"é"#, 5),
  ])
  func textAfterAClosingQuoteIsRefused(text: String, offset: Int) {
    let place = TextPosition(offset: offset, in: Array(text.utf8))
    #expect(throws: SnapshotError.csv(.textAfterQuote, at: place)) { try rows(text) }
  }

  @Test(
    arguments: [
      ([0x61, 0x2C, 0xFF], 2),
      ([0x22, 0x61, 0xFF, 0x22], 2),
      ([0x61, 0xC3], 1),
      ([0xC3, 0x2C], 0),
      ([0x61, 0x0A, 0xE2, 0x82, 0x2C], 2),
      ([0xC0, 0x80], 0),
    ] as [([UInt8], Int)])
  func bytesThatAreNotUTF8AreRefusedWithTheirPosition(bytes: [UInt8], offset: Int) {
    let place = TextPosition(offset: offset, in: bytes)
    #expect(throws: SnapshotError.csv(.notUTF8, at: place)) {
      var scanner = CSVScanner(bytes, separator: UInt8(ascii: ","))
      while try scanner.row() != nil {}
    }
  }

  @Test func quotesAreOrdinaryCharactersWithoutQuoting() throws {
    let bytes = Array("1^\"x\"\n\"^\"\"".utf8)
    var scanner = CSVScanner(bytes, separator: UInt8(ascii: "^"), quoting: .none)
    for expected in [["1", "\"x\""], ["\"", "\"\""]] {
      let row = try #require(try scanner.row())
      #expect(row.map { String(decoding: $0.bytes(in: bytes), as: UTF8.self) } == expected)
    }
    #expect(try scanner.row() == nil)
  }
}
