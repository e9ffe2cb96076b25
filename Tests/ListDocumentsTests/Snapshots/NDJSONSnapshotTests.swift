import ListDocuments
import ListModel
import Testing

@Suite struct NDJSONSnapshotTests {
  @Test(arguments: [
    "{\"id\":\"b\"}\n{\"id\":\"a\"}\n",
    "{\"id\":\"b\"}\n{\"id\":\"a\"}",
    "{\"id\":\"b\"}\r\n{\"id\":\"a\"}\r\n",
    "\n\n{\"id\":\"b\"}\n\r\n \t\n{\"id\":\"a\"}\n\n",
    "  { \"id\" : \"b\" }  \n\t{\"id\":\"a\"}  \n",
    "\u{FEFF}{\"id\":\"b\"}\n{\"id\":\"a\"}\n",
  ])
  func everyLineIsAnItemAndBlankLinesAreIgnored(text: String) throws {
    let file = try read(text, as: .ndjson)
    #expect(file.contents == [#"{"id":"b"}"#, #"{"id":"a"}"#])
    #expect(file.format == .ndjson)
  }

  @Test func itemsMayBeJSONValuesOfAnyKind() throws {
    let id = try IDRule(["."])
    #expect(try read("\"b\"\n\"a\"\n2\n", as: .ndjson, id: id).ids == ["b", "a", "2"])
    #expect(try read("[\"x\",1]\n", as: .ndjson, id: IDRule(["/0"])).contents == [#"["x",1]"#])
  }

  @Test(arguments: [
    (#"{"id":"a"} {"id":"b"}"#, 11),
    (#"{"id":"a"}{"id":"b"}"#, 10),
    ("{\"id\":\"a\"}\n{\"id\":\"b\"}\t{\"id\":\"c\"}\n", 22),
    // A carriage return alone ends no line of NDJSON.
    ("{\"id\":\"a\"}\r{\"id\":\"b\"}", 11),
    ("{\"id\":\"a\"},\n{\"id\":\"b\"}", 10),
    ("{\"id\":\"a\"} x", 11),
  ])
  func twoValuesOnOneLineAreRefused(text: String, offset: Int) {
    let error = refusal(of: text.utf8, options: SnapshotOptions(format: .ndjson))
    #expect(error?.position?.offset == offset)
    #expect(error?.jsonReason?.isCutOff == false)
  }

  @Test func everyPrefixOfTheLastLineIsRefused() throws {
    let (first, last) = ("{\"id\":\"a\"}\n", #"{"id":"b","n":[1,{}],"t":true}"#)
    let whole = Array((first + last).utf8)
    let options = SnapshotOptions(format: .ndjson)
    #expect(refusal(of: whole, options: options) == nil)
    for count in first.utf8.count + 1..<whole.count {
      let error = try #require(refusal(of: whole.prefix(count), options: options), "\(count)")
      #expect(error.jsonReason?.isCutOff == true, "\(count)")
      #expect(error.position?.offset == count)
      #expect(error.position?.line == 2)
    }
  }

  @Test func bytesThatAreNotUTF8AreRefusedWithTheirPosition() {
    let text = Array("{\"id\":\"a\"}\n{\"id\":\"é".utf8) + [0xFF] + Array("\"}".utf8)
    let error = SnapshotError.json(
      JSONError(offset: 20, reason: .notUTF8), at: TextPosition(offset: 20, in: text))
    #expect(refusal(of: text, options: SnapshotOptions(format: .ndjson)) == error)
    #expect(error.position?.description == "line 2, column 9")
  }
}
