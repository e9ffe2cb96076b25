import ListModel
import Testing

@testable import ListDocuments

@Suite struct EditLinesTests {
  private func read(
    _ text: String, id: IDRule = .standard, limits: Limits = .standard
  ) throws(EditError) -> [Edit] {
    try EditLines(Array(text.utf8), idRule: id, limits: limits).edits
  }

  private func item(_ id: String, _ json: String) throws -> Item {
    Item(id: ItemID(id), content: try Content(json: json))
  }

  @Test func everyEditHasALine() throws {
    let edits = try read(
      """
      {"put":{"id":"a","n":1}}
      {"put":{"id":"b"},"after":"a"}
      {"put":{"n":2},"id":"c","to":3}
      {"remove":"d"}

      {"move":"e","before":"a"}
      {"move":"f","first":true}
        {"move":"g",
         "last":true}
      """)
    #expect(
      edits == [
        .put(try item("a", #"{"id":"a","n":1}"#), nil),
        .put(try item("b", #"{"id":"b"}"#), .after("a")),
        .put(try item("c", #"{"n":2}"#), .at(3)), .remove("d"), .move("e", .before("a")),
        .move("f", .first), .move("g", .last),
      ])
  }

  @Test func everyEditHasItsPosition() throws {
    let text = "\u{FEFF}{\"remove\":\"a\"}\r\n\n  {\"move\":\"é\",\n\"to\":1}\n{\"remove\":\"b\"}"
    let lines = try EditLines(Array(text.utf8), idRule: .standard)
    let positions = lines.edits.indices.map { lines.position(of: $0) }
    #expect(positions.map(\.line) == [1, 3, 5])
    #expect(positions.map(\.column) == [1, 3, 1])
  }

  @Test(arguments: ["", " \n\n", "\u{FEFF}\n"]) func textWithoutLinesHasNoEdits(text: String) throws
  {
    #expect(try read(text).isEmpty)
  }

  @Test func ruleOfTheListFindsTheIDOfAnItem() throws {
    let rule = try IDRule(["/code", "year"])
    #expect(
      try read(#"{"put":{"code":7.0,"year":"x"}}"#, id: rule)
        == [.put(try item("7\u{1F}x", #"{"code":7,"year":"x"}"#), nil)])
    #expect(
      try read(#"{"put":"zion"}"#, id: IDRule(["."])) == [.put(item("zion", #""zion""#), nil)])
  }

  @Test(arguments: [
    (#"[]"#, 1, "the value is not an edit: an object with one of"),
    (#"{}"#, 1, "the value is not an edit"),
    (#"{"remove":"a","move":"b","first":true}"#, 1, "the value is not an edit"),
    ("{\"remove\":\"a\"}\n {\"remove\":7}", 2, "line 2, column 2: /remove is not a string"),
    (#"{"remove":""}"#, 1, "/remove is not an id that is not empty"),
    (#"{"remove":"a","to":1}"#, 1, "/to is not a member of a removal, which can have \"remove\""),
    (#"{"move":"a"}"#, 1, "the value is not a move with a place: \"before\", \"after\", \"to\""),
    (#"{"move":"a","first":false}"#, 1, "/first is not true"),
    (#"{"move":"a","id":"a","last":true}"#, 1, "/id is not a member of a move"),
    (#"{"move":"a","to":-1}"#, 1, "/to is not a whole number from 0"),
    (#"{"put":{"id":"a"},"to":1,"first":true}"#, 1, "the value is not an edit with one place"),
    (#"{"put":{"id":"a"},"befor":"b"}"#, 1, "/befor is not a member of a put"),
    (#"{"put":{"n":1}}"#, 1, "/put is not an item with an id in id: add it there, or as \"id\""),
    (#"{"put":{"id":"a"},"id":"b"}"#, 1, "/id is not the id that the item has in id"),
    ("{\"remove\":\"a\"} {\"remove\":\"b\"}", 1, "column 16: not JSON: expected a line end"),
    ("{\"remove\":\"a\"}\n{\"remove\":\"b\"", 2, "line 2, column 14: not JSON: the input ends"),
    (#"{"remove":"a","remove":"b"}"#, 1, "member \"remove\" stands twice"),
  ])
  func malformedLineIsRefusedWithItsPosition(text: String, line: Int, words: String) throws {
    let error = try #require(throws: EditError.self) { try read(text) }
    #expect(error.position.line == line)
    #expect(error.description.contains(words), "\(error)")
  }

  @Test func limitsHoldForItemsAndIDs() throws {
    var limits = Limits.standard
    limits[.idBytes] = 3
    limits[.itemBytes] = 14
    limits[.depth] = 2
    for (text, limit) in [
      (#"{"remove":"abcd"}"#, Limit.idBytes), (#"{"put":{"id":"abcd"}}"#, .idBytes),
      (#"{"put":{"id":"a","n":1}}"#, .itemBytes), (#"{"put":[[[]]],"id":"a"}"#, .depth),
      (#"{"move":"a","before":"abcd"}"#, .idBytes),
    ] {
      let error = try #require(throws: EditError.self) { try read(text, limits: limits) }
      #expect(error.exceeded?.limit == limit, "\(text): \(error)")
    }
    #expect(try read(#"{"put":[[]],"id":"a"}"#, limits: limits).count == 1)
  }
}
