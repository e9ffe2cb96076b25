import ListModel
import Testing

@testable import ListDocuments

@Suite struct SnapshotSnifferTests {
  private func format(
    _ text: String, _ fileName: String? = nil, hasItemsPointer: Bool = false
  ) -> SnapshotOptions.Format {
    SnapshotSniffer(bytes: Array(text.utf8), fileName: fileName)
      .format(hasItemsPointer: hasItemsPointer)
  }

  @Test(arguments: [
    ("a.csv", SnapshotOptions.Format.csv), ("a.CSV", .csv), ("a.tsv", .csv), ("a.b.csv", .csv),
    ("a.ndjson", .ndjson), ("a.jsonl", .ndjson), ("a.JSONL", .ndjson),
  ])
  func fileExtensionDecidesTheFormatOfAnyText(fileName: String, expected: SnapshotOptions.Format) {
    for text in ["[1]", #"{"a":1}"#, "a,b"] {
      #expect(format(text, fileName) == expected, "\(text)")
    }
  }

  @Test(arguments: [nil, "a", "a.json", "a.txt", "csv", "a.csv/b", "a.csv.bak"])
  func firstBytesTellTheFormatOfOtherFileNames(fileName: String?) {
    #expect(format("[1]", fileName) == .json)
    #expect(format(" \r\n\t[", fileName) == .json)
    #expect(format("\u{FEFF}[1]", fileName) == .json)
    #expect(format(#"{"a":[1]}"#, fileName) == .json)
    #expect(format("{\"a\":[1]}\n", fileName) == .json)
    #expect(format("{\"a\":1}\n{\"a\":2}\n", fileName) == .ndjson)
    #expect(format("\u{FEFF} {\"a\":1}\r\n{\"a\":2}\r\n", fileName) == .ndjson)
    #expect(format("{\"a\":1}\n{\"a\":", fileName) == .ndjson)
  }

  @Test func textThatIsNotJSONIsCSVExceptInAJSONFile() {
    for text in ["id,name\n", "\"id\"\n", "1,2\n", "\u{FEFF}id\n"] {
      #expect(format(text) == .csv, "\(text)")
      #expect(format(text, "a.txt") == .csv, "\(text)")
      #expect(format(text, "a.json") == .json, "\(text)")
    }
  }

  @Test func cutOffDocumentIsDetectedAsJSON() {
    #expect(format(#"{"a":[1,"#) == .json)
  }

  @Test func itemsPointerSelectsTheJSONFormat() {
    #expect(format("{\"a\":1}\n{\"a\":2}\n", hasItemsPointer: true) == .json)
  }

  @Test(
    arguments: [
      (nil, ","), ("a", ","), ("a.csv", ","), ("a.txt", ","), ("a.tsv", "\t"), ("a.TSV", "\t"),
    ] as [(String?, Unicode.Scalar)])
  func fileNameDecidesWhetherTabsSeparateCells(fileName: String?, separator: Unicode.Scalar) {
    let sniffer = SnapshotSniffer(bytes: [], fileName: fileName)
    #expect(sniffer.separator == UInt8(ascii: separator))
  }
}
