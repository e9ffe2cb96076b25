import ListDocuments
import ListModel
import TestSupport
import Testing

struct SnapshotSeriesReaderTests {
  private func item(_ id: Int, _ value: String = "1") -> String {
    #"{"id":\#(id),"v":\#(value)}"#
  }

  private func array(_ items: [String]) -> [UInt8] {
    Array("[\(items.joined(separator: ","))]".utf8)
  }

  @Test func seriesEqualsFreshReadingsAfterEveryEdit() {
    var random = SeededRandom.forThisRun()
    for format in [SnapshotOptions.Format.json, .ndjson, .csv] {
      for duplicates in SnapshotOptions.Duplicates.allCases {
        let options = SnapshotOptions(format: format, duplicates: duplicates)
        var series = SnapshotSeriesReader(options: options)
        var items = (0..<8).map { item($0) }
        for _ in 0..<150 {
          edit(&items, &random)
          let bytes = document(items, format, &random)
          #expect(
            Outcome { () throws(SnapshotError) in try series.read(bytes) }
              == Outcome { () throws(SnapshotError) in
                try SnapshotReader(options: options).read(bytes)
              }, "\(String(decoding: bytes, as: UTF8.self)), seed \(random.seed)")
        }
      }
    }
  }

  private func edit(_ items: inout [String], _ random: inout SeededRandom) {
    let place = Int.random(in: 0...items.count, using: &random)
    let values = ["1", "12", "1.0", #""é""#, "[1,2]", #"{"b":1,"a":[]}"#, "x", "\"\\ud800\""]
    let new = item(
      Int.random(in: 0..<12, using: &random), values.randomElement(using: &random)!)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: items.insert(new, at: place)
    case 1:
      items.insert(
        ["7", "77", "null", "[]", #""a""#, #""ab""#].randomElement(using: &random)!, at: place)
    case 2 where place < items.count, 3 where place < items.count: items.remove(at: place)
    case 4 where place < items.count: items[place] = new
    default: items.shuffle(using: &random)
    }
    if items.count > 12 { items.removeLast(6) }
  }

  private func document(
    _ items: [String], _ format: SnapshotOptions.Format, _ random: inout SeededRandom
  ) -> [UInt8] {
    switch format {
    case .json:
      var bytes = array(items)
      // Sometimes a file that was cut off.
      if Int.random(in: 0..<8, using: &random) == 0 {
        bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
      }
      return bytes
    case .ndjson: return Array(items.joined(separator: "\n").utf8)
    case .csv: return Array("id\n\(items.joined(separator: "\n"))".utf8)
    }
  }

  @Test func unchangedItemsAreReusedWithTheirContents() throws {
    var series = SnapshotSeriesReader(options: SnapshotOptions())
    _ = try series.read(array((0..<20).map { item($0) }))
    #expect(series.recalledCount == 0)
    _ = try series.read(array((0..<20).map { item($0) }))
    #expect(series.recalledCount == 20)
    // One item is edited.
    _ = try series.read(array((0..<20).map { item($0, $0 == 5 ? "2" : "1") }))
    #expect(series.recalledCount == 19)
    // Item 3 is removed, so 4 is read again; 100 is new.
    let rest = (0..<20).filter { $0 != 3 }.map { item($0, $0 == 5 ? "2" : "1") }
    _ = try series.read(array(rest + [item(100)]))
    #expect(series.recalledCount == 18)
  }

  @Test func unchangedTableRowsAreReusedUnderTheSameHeader() throws {
    var series = SnapshotSeriesReader(options: SnapshotOptions(format: .csv))
    func read(_ header: String, _ rows: [String]) throws -> Int {
      let bytes = Array("\(header)\n\(rows.joined(separator: "\r\n"))\n".utf8)
      let read = try series.read(bytes)
      let fresh = try SnapshotReader(options: SnapshotOptions(format: .csv)).read(bytes)
      #expect(read.snapshot == fresh.snapshot)
      return series.recalledCount
    }
    let rows = (0..<20).map { "\($0),\"a \"\"b\"\", \($0)\"" }
    #expect(try read("id,n", rows) == 0)
    #expect(try read("id,n", rows) == 20)
    var edited = rows
    edited[5] = "5,x"
    #expect(try read("id,n", edited) == 19)
    // Row 3 is removed, so 4 is read again; 100 is new.
    edited.remove(at: 3)
    #expect(try read("id,n", edited + ["100,y"]) == 18)
    #expect(try read("id,m", edited + ["100,y"]) == 0)
    #expect(try read("id,m", edited + ["100,yy"]) == 19)
    #expect(try read("id,m", edited + ["100,y"]) == 19)
  }

  @Test func fileThatChangesFromATableToJSONIsReadAnew() throws {
    var table = SnapshotSeriesReader(options: SnapshotOptions())
    _ = try table.read(Array("id\n\"a\"\n".utf8))
    _ = try table.read(Array("[{\"id\":\"a\"}]".utf8))
    #expect(table.recalledCount == 0)
  }

  @Test func refusedVersionLeavesTheSeriesUnchanged() throws {
    var series = SnapshotSeriesReader(options: SnapshotOptions())
    let bytes = array((0..<20).map { item($0) })
    _ = try series.read(bytes)
    #expect(throws: SnapshotError.self) { try series.read(Array(bytes.dropLast())) }
    _ = try series.read(bytes)
    #expect(series.recalledCount == 20)
  }

  @Test func numberThatGainsADigitIsReadAsANewItem() throws {
    var series = SnapshotSeriesReader(options: SnapshotOptions(idRule: try IDRule(["."])))
    func isRefused(_ text: String) -> Bool {
      if case .refused = Outcome({ () throws(SnapshotError) in try series.read(Array(text.utf8)) })
      {
        return true
      }
      return false
    }
    #expect(!isRefused(#"["a",1]"#))
    #expect(!isRefused(#"["a",12]"#))
    #expect(isRefused(#"["a",1 2]"#))
  }
}
