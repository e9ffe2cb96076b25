import ListDocuments
import ListModel
import TestSupport
import Testing

struct CellDocumentTests {
  private func snapshot(_ texts: String...) throws -> Snapshot {
    try Snapshot(
      texts.enumerated().map { index, text in
        Item(id: ItemID("\(index)"), content: try Content(json: text))
      })
  }

  private func text(_ snapshot: Snapshot, _ separator: Character = ",") throws -> String {
    let byte = try #require(separator.asciiValue)
    return String(decoding: CellDocument.encode(snapshot, separator: byte), as: UTF8.self)
  }

  @Test func columnsAreTheMembersInTheOrderInWhichTheyCome() throws {
    let list = try snapshot(#"{"b":1,"a":"x"}"#, #"{"c":true,"a":"y"}"#)
    #expect(try text(list) == "a,b,c\nx,1,\ny,,true\n")
  }

  @Test(arguments: [
    (#""plain""#, "plain"), (#""a,b""#, #""a,b""#), (#""a\"b""#, #""a""b""#),
    (#""a\nb""#, "\"a\nb\""),
    (#""a\rb""#, "\"a\rb\""), ("1e3", "1000"), ("null", ""), (#""""#, ""), ("false", "false"),
    (#"[1,"x"]"#, #""[1,""x""]""#), (#"{"y":1}"#, #""{""y"":1}""#),
  ])
  func cellIsQuotedOnlyWhereItMustBe(value: String, cell: String) throws {
    #expect(try text(snapshot(#"{"a":\#(value),"z":0}"#)) == "a,z\n\(cell),0\n")
  }

  @Test func tabsSeparateAndAreQuoted() throws {
    #expect(try text(snapshot(#"{"a":"x\ty","b":"1,2"}"#), "\t") == "a\tb\n\"x\ty\"\t1,2\n")
  }

  @Test func bareStringsAreInOneColumn() throws {
    #expect(try text(snapshot(#""x""#, #""""#)) == "value\nx\n\"\"\n")
  }

  @Test func emptyListIsAnEmptyHeader() throws { #expect(try text(snapshot()) == "\n") }

  @Test func writtenCellsAreReadAgain() throws {
    var random = SeededRandom.forThisRun()
    let texts = ["", "a", "a,b", "\"", "\"\"", "x\ny", "x\r\ny", " ", "é", ",\"\n"]
    for _ in 0..<300 {
      let items = try (0..<Int.random(in: 1...4, using: &random)).map { index in
        var writer = JSONWriter()
        writer.object { writer in
          writer.member("id", "\(index)")
          for name in ["m", "n\"", "o,p"] {
            writer.member(name, texts.randomElement(using: &random))
          }
        }
        return Item(
          id: ItemID("\(index)"),
          content: try Content(json: String(decoding: writer.bytes, as: UTF8.self)))
      }
      for separator in [UInt8(ascii: ","), UInt8(ascii: "\t")] {
        let bytes = CellDocument.encode(try Snapshot(items), separator: separator)
        let options = SnapshotOptions(format: .csv, separator: separator)
        let read = try SnapshotReader(options: options).read(bytes, fileName: nil)
        #expect(read.snapshot.items == items, "seed \(random.seed)")
      }
    }
  }
}
