import ListDocuments
import ListModel
import Synchronization
import Testing

@Suite struct SnapshotReaderTests {
  private static let ndjson = "{\"id\":\"b\"}\n{\"id\":\"a\"}\n"

  @Test func readerAcceptsNDJSONInAJSONFile() throws {
    let file = try read(Self.ndjson, fileName: "parks.json")
    #expect(file.format == .ndjson)
    #expect(file.ids == ["b", "a"])
  }

  @Test func explicitFormatOverridesTheFileNameAndTheBytes() throws {
    #expect(try read(Self.ndjson, as: .ndjson, fileName: "parks.csv").ids == ["b", "a"])
    #expect(try read(#"[{"id":"a"}]"#, as: .json, fileName: "parks.csv").ids == ["a"])
    #expect(try read("id\na\n", as: .csv, fileName: "parks.json").ids == ["a"])
    // A line that starts like an array is a header if CSV is requested.
    #expect(try read("[id\na\n", as: .csv, id: IDRule(["[id"])).ids == ["a"])
    #expect(refusal(of: Self.ndjson.utf8, options: SnapshotOptions(format: .json)) != nil)
  }

  @Test func explicitSeparatorOverridesTheFileName() throws {
    let file = try read("id;n\na;1\n", separator: ";", fileName: "parks.tsv")
    #expect(file.contents == [#"{"id":"a","n":"1"}"#])
  }

  @Test(arguments: SnapshotOptions.Format.allCases + [nil])
  func blankInputIsRefusedAndNeverReadAsAnEmptyList(format: SnapshotOptions.Format?) throws {
    let rules = try [IDRule.standard, IDRule(["."])]
    for text in ["", " ", "\n", "\r\n", "\r", "\t", " \n\t\r\n ", "\u{FEFF}", "\u{FEFF}\n"] {
      for name in [nil, "a.json", "a.ndjson", "a.csv", "a.tsv"] {
        for rule in rules {
          #expect(throws: SnapshotError.emptyInput, "\(text.debugDescription), \(name ?? "")") {
            try read(text, as: format, id: rule, fileName: name)
          }
        }
      }
    }
  }

  @Test(arguments: SnapshotOptions.Format.allCases + [nil])
  func aFileInUTF16IsRefusedByName(format: SnapshotOptions.Format?) {
    for mark: [UInt8] in [[0xFF, 0xFE], [0xFE, 0xFF]] {
      let bytes = mark + [0x69, 0x00, 0x64, 0x00]
      #expect(refusal(of: bytes, options: SnapshotOptions(format: format)) == .utf16)
    }
  }

  @Test(arguments: SnapshotOptions.Format.allCases + [nil])
  func aGzipFileIsRefusedByName(format: SnapshotOptions.Format?) {
    let bytes: [UInt8] = [0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03]
    #expect(refusal(of: bytes, options: SnapshotOptions(format: format)) == .gzip)
  }

  @Test(arguments: ["null", " true\n", "false"])
  func aLiteralOfJSONIsNoTable(text: String) {
    guard case .noArray(_, let found?, _) = refusal(of: text.utf8, options: SnapshotOptions())
    else {
      Issue.record("\(text) is read as a table")
      return
    }
    #expect(["null", "boolean"].contains(found))
  }

  @Test func everyFormatOfAListGivesTheSameSnapshot() throws {
    let json = try read(#"[{"name":"Zion","id":"z"},{"id":"a","name":"\u0041"}]"#).snapshot
    let lines = "{\"id\":\"z\",\"name\":\"Zion\"}\n{\"id\":\"a\",\"name\":\"A\"}"
    #expect(try read(lines).snapshot == json)
    #expect(try read("name,id\nZion,z\n\"A\",a").snapshot == json)
  }

  @Test func reportedProgressRisesToTheByteCount() throws {
    let text = "id\n" + (0..<10_000).map { "\($0)\n" }.joined()
    let seen = Mutex<[Int]>([])
    let reader = SnapshotReader(options: SnapshotOptions()) { count in
      seen.withLock { $0.append(count) }
    }
    #expect(try reader.read(Array(text.utf8)).snapshot.items.count == 10_000)
    let counts = seen.withLock { $0 }
    #expect(counts.count > 2)
    #expect(counts == counts.sorted())
    #expect(counts.last == text.utf8.count)
  }
}
