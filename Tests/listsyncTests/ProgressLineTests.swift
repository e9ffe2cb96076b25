import Testing

@testable import listsync

struct ProgressLineTests {
  @Test func lineFitsTheTerminalAndKeepsTheProgress() {
    let path = "reading /" + String(repeating: "very-long-folder/", count: 20)
    for columns in 8...200 {
      let line = ProgressLine.text(path, "45 %", columns: columns)
      #expect(line.count <= columns - 1, "\(columns)")
      #expect(line.hasSuffix(": 45 %"), "\(columns)")
    }
    #expect(ProgressLine.text("reading x", "45 %", columns: 80) == "reading x: 45 %")
    #expect(ProgressLine.text("reading parks", "45 %", columns: 18) == "reading pa…: 45 %")
    #expect(ProgressLine.text("reading x", "45 %", columns: 3) == ":…")
    #expect(ProgressLine.text("reading x", "45 %", columns: 0) == "")
  }

  @Test func charactersOutsideOfASCIIMayBeTwoColumnsWide() {
    #expect(ProgressLine.text("園園園園", "1 s", columns: 12) == "園園…: 1 s")
  }
}
