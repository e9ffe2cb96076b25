import ListDocuments
import ListModel
import Testing

@Suite struct JSONSnapshotTests {
  // MARK: Where the items stand

  @Test func listKeepsTheOrderOfTheArray() throws {
    let file = try read(#" [ {"id":"c"}, {"id":"a","z":1,"b":2}, {"id":"b"} ] "#)
    #expect(file.contents == [#"{"id":"c"}"#, #"{"b":2,"id":"a","z":1}"#, #"{"id":"b"}"#])
    #expect(file.ids == ["c", "a", "b"])
    #expect(file.format == .json)
    #expect(file.leftOutCount == 0)
  }

  @Test(arguments: ["[]", " [ ] ", "\n[\n]\n"])
  func anEmptyArrayIsTheEmptyList(text: String) throws {
    #expect(try read(text).snapshot == .empty)
  }

  @Test func anEmptyArrayInsideADocumentIsTheEmptyList() throws {
    #expect(try read(#"{"a":[]}"#, items: JSONPointer("/a")).snapshot == .empty)
  }

  @Test(arguments: [
    ("", #"[{"id":"x"}]"#),
    ("/a", #"{"a":[{"id":"x"}]}"#),
    ("/a/b/c", #"{"z":[0],"a":{"y":[0],"b":{"c":[{"id":"x"}],"d":[0]},"e":[0]},"f":[0]}"#),
    ("/a~1b", #"{"a/b":[{"id":"x"}],"a":{"b":[0]}}"#),
    ("/~01", #"{"~1":[{"id":"x"}],"/":[0]}"#),
    ("/", #"{"":[{"id":"x"}]}"#),
    ("/é", #"{"\u00e9":[{"id":"x"}]}"#),
    ("/a/0", #"{"a":{"0":[{"id":"x"}]}}"#),
    ("/0", #"[[{"id":"x"}],[0]]"#),
    ("/results/1/items", #"{"results":[0,{"items":[{"id":"x"}]},{"items":[0]}]}"#),
  ])
  func pointerSelectsTheItemsOfADocument(pointer: String, text: String) throws {
    let file = try read(text, as: .json, items: JSONPointer(pointer))
    #expect(file.contents == [#"{"id":"x"}"#])
  }

  @Test(
    arguments: [
      ("", #"{"a":[1],"b":{"c":[2]},"d":3}"#, "object", ["/a", "/b/c"]),
      ("", "7", "number", []),
      ("", "{}", "object", []),
      ("/x", #"{"a":[1],"b":{"c":[2]}}"#, nil, ["/a", "/b/c"]),
      ("/b", #"{"a":[1],"b":{"c":[2]}}"#, "object", ["/a", "/b/c"]),
      ("/b", #"{"b":"text"}"#, "string", []),
      ("/b", #"{"b":null}"#, "null", []),
      ("/b/c", #"{"b":"text","a/b":[]}"#, nil, ["/a~1b"]),
      ("/a", "[1,2]", nil, [""]),
      ("/a", "true", nil, []),
      ("/a", "{}", nil, []),
      ("/0", "[]", nil, [""]),
      ("/1", "[[],{}]", "object", [""]),
      ("/01", "[[],[]]", nil, [""]),
      ("/2", "[[],[]]", nil, [""]),
      ("/-", "[[],[]]", nil, [""]),
    ] as [(String, String, String?, [String])])
  func missingArrayErrorListsTheExistingArrays(
    pointer: String, text: String, found: String?, arrays: [String]
  ) throws {
    let place = try #require(JSONPointer(pointer))
    let pointers = try arrays.map { try #require(JSONPointer($0)) }
    #expect(throws: SnapshotError.noArray(at: place, found: found, arrays: pointers)) {
      try read(text, as: .json, items: place)
    }
  }

  /// The whole document is one level deeper than its values, which are read one by one.
  @Test func documentAtTheDepthLimitIsNotReportedAsEmpty() throws {
    let depth = Limit.depth.standard
    let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    let place = try #require(JSONPointer("/a"))
    #expect(throws: SnapshotError.noArray(at: place, found: nil, arrays: [])) {
      try read(#"{"b":\#(deep)}"#, items: place)
    }
  }

  // MARK: Texts that are refused

  @Test(arguments: [
    // The wrapper before the items, the member that holds them, a member beside it, an item.
    ("/a/b", #"{"a":{"b":[]},"c":1,"a":{"b":[]}}"#, "a", 20),
    ("/a", #"{"a":[{"id":"x"}], "a":[]}"#, "a", 19),
    ("/a", #"{"a":[],"\u0061":[]}"#, "a", 8),
    ("/a", #"{"b":1,"a":[],"b":2}"#, "b", 14),
    ("/a", #"{"a":[],"b":{"c":1,"c":1}}"#, "c", 19),
    ("", #"[{"id":"x","id":"x"}]"#, "id", 11),
  ])
  func duplicateMemberNameIsRefused(
    pointer: String, text: String, name: String, offset: Int
  ) throws {
    let error = JSONError(offset: offset, reason: .duplicateMember(name))
    let place = TextPosition(offset: offset, in: Array(text.utf8))
    #expect(throws: SnapshotError.json(error, at: place)) {
      try read(text, as: .json, items: JSONPointer(pointer))
    }
  }

  @Test(arguments: [
    (#"[{"id":"a"}] x"#, 13),
    (#"[{"id":"a"}]]"#, 12),
    ("[]\n\n[]", 4),
    ("[],", 2),
    ("[]\u{0}", 2),
  ])
  func textAfterTheDocumentIsRefused(text: String, offset: Int) {
    let error = refusal(of: text.utf8)
    #expect(error?.position == TextPosition(offset: offset, in: Array(text.utf8)))
    #expect(error?.jsonReason?.isCutOff == false)
  }

  @Test func textAfterAnObjectIsRefused() {
    let options = SnapshotOptions(items: JSONPointer("/a"))
    #expect(refusal(of: #"{"a":[]} {}"#.utf8, options: options)?.position?.offset == 9)
  }

  @Test func everyDocumentPrefixIsRefusedAsCutOffAtItsEnd() throws {
    let text =
      #" {"n":[1,-2.5e+3,true,null,"\u00e9\n"],"a":{"b":[{"id":"é😀"},{"id":2}]},"z":false}"#
    let bytes = Array(text.utf8)
    let options = SnapshotOptions(items: JSONPointer("/a/b"))
    #expect(refusal(of: bytes, options: options) == nil)
    #expect(refusal(of: [], options: options) == .emptyInput)
    #expect(refusal(of: bytes.prefix(1), options: options) == .emptyInput)
    // The first bytes of multi-byte characters, and their lengths.
    let accent = try #require(bytes.firstIndex(of: 0xC3))
    let characters = [accent..<accent + 2, accent + 2..<accent + 6]
    for count in 2..<bytes.count {
      let error = try #require(refusal(of: bytes.prefix(count), options: options), "\(count)")
      if let cut = characters.first(where: { $0.contains(count) && $0.lowerBound < count }) {
        #expect(error.jsonReason == .notUTF8, "\(count)")
        #expect(error.position?.offset == cut.lowerBound, "\(count)")
      } else {
        #expect(error.jsonReason?.isCutOff == true, "\(count): \(error)")
        #expect(error.position?.offset == count, "\(count)")
      }
    }
  }

  @Test(arguments: [
    "", #"[{"id":"a","#, #"[{"id":"a"}"#, #"[{"id":"a"},"#, #"[{"id":"a"},{"id":"b""#,
  ])
  func everyUnfinishedArrayIsRefused(text: String) {
    #expect(refusal(of: text.utf8) != nil)
  }

  @Test(
    arguments: [
      ([0xFF], 8),
      ([0x61, 0xC3, 0x28], 9),
      ([0xC0, 0x80], 8),
      ([0xED, 0xA0, 0x80], 8),
      ([0xF4, 0x90, 0x80, 0x80], 8),
    ] as [([UInt8], Int)])
  func bytesThatAreNotUTF8AreRefusedWithTheirPosition(bytes: [UInt8], offset: Int) {
    let text = Array(#"[{"id":""#.utf8) + bytes + Array(#""}]"#.utf8)
    let error = SnapshotError.json(
      JSONError(offset: offset, reason: .notUTF8), at: TextPosition(offset: offset, in: text))
    #expect(refusal(of: text) == error)
  }

  @Test func errorOnALaterLineHasItsLineNumber() {
    let text = "[\n  {\"id\": \"é\"},\n  {\"id\": \"é\", x}\n]"
    let position = refusal(of: text.utf8)?.position
    #expect(position?.description == "line 3, column 15")
  }

  @Test func readerSkipsAByteOrderMark() throws {
    let text = byteOrderMark + Array(#"[{"id":"a"}]"#.utf8)
    let file = try SnapshotReader(options: SnapshotOptions()).read(text)
    #expect(file.contents == [#"{"id":"a"}"#])
    #expect(file.format == .json)
  }

  @Test func offsetsCountTheByteOrderMarkButColumnsDoNot() {
    let position = refusal(of: byteOrderMark + Array("[x]".utf8))?.position
    #expect(position?.offset == 4)
    #expect(position?.description == "line 1, column 2")
  }
}
