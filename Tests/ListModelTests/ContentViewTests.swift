import ListModel
import TestSupport
import Testing

struct ContentViewTests {
  private func view(_ json: String) throws -> ContentView { ContentView(try Content(json: json)) }

  @Test(
    arguments: [
      ("{}", .object), ("[]", .array), (#""""#, .string), ("0", .number), ("-1", .number),
      ("true", .boolean), ("false", .boolean), ("null", .null),
    ] as [(String, ContentView.Kind)])
  func everyValueHasItsKind(json: String, kind: ContentView.Kind) throws {
    #expect(try view(json).kind == kind)
    #expect(try view("[[1],\(json),2]").elements[1].kind == kind)
  }

  @Test func membersAreInCanonicalOrderWithTheirValues() throws {
    let members = try view(
      #"{"s":"a,}]\"{","n":-1.5e-9,"o":{"x":[{}]},"a":[1,"]"],"t":true,"z":null,"":{}}"#
    ).members
    #expect(members.map(\.name) == ["", "a", "n", "o", "s", "t", "z"])
    #expect(
      members.map(\.value.content.description) == [
        "{}", #"[1,"]"]"#, "-1.5e-9", #"{"x":[{}]}"#, #""a,}]\"{""#, "true", "null",
      ])
  }

  @Test func memberNamesAreDecoded() throws {
    let object = try view(#"{"a\"\\\n\u0000":1,"\ud83d\ude00":2,"\/":3}"#)
    #expect(object.members.map(\.name) == ["/", "a\"\\\n\u{0}", "😀"])
    #expect(object.member("a\"\\\n\u{0}")?.scalarText == "1")
    #expect(object.member("😀")?.scalarText == "2")
    #expect(object.member("/")?.scalarText == "3")
  }

  @Test func memberLookupComparesTheBytesOfTheWholeName() throws {
    let object = try view("{\"ab\":1,\"\u{E9}\":2,\"x\":{\"y\":3},\"\":4}")
    #expect(object.member("ab")?.scalarText == "1")
    #expect(object.member("\u{E9}")?.scalarText == "2")
    #expect(object.member("x")?.member("y")?.scalarText == "3")
    #expect(object.member("")?.scalarText == "4")
    for name in ["a", "abc", "e\u{301}", "y", "1"] {
      #expect(object.member(name) == nil, "\(name)")
    }
    #expect(object.member(canonicalName: Array(#""ab""#.utf8))?.scalarText == "1")
  }

  @Test func elementsKeepTheOrderOfTheArray() throws {
    let elements = try view(#"[1,"a,b]",[2,[3]],{"k":[4,5]},null,-0.5]"#).elements
    #expect(
      elements.map(\.content.description) == [
        "1", #""a,b]""#, "[2,[3]]", #"{"k":[4,5]}"#, "null", "-0.5",
      ])
    #expect(elements[2].elements[1].elements[0].scalarText == "3")
    #expect(elements[3].member("k")?.elements.map(\.scalarText) == ["4", "5"])
  }

  @Test(arguments: ["{}", "[]", #""{}""#, "1", "true", "null"])
  func otherKindsHaveNoMembersOrElements(json: String) throws {
    let value = try view(json)
    #expect(value.members.isEmpty)
    #expect(value.elements.isEmpty)
    #expect(value.member("") == nil)
  }

  @Test(arguments: [
    (#""""#, ""), (#""a\"b\\c\/d\b\f\n\r\te""#, "a\"b\\c/d\u{8}\u{C}\n\r\te"),
    (#""\u0000\u001f\u000B""#, "\u{0}\u{1F}\u{B}"), (#""\ud83d\ude00\u00e9""#, "😀é"),
    (#""\\u0041\\n""#, "\\u0041\\n"), (#""\\""#, "\\"), ("1.50", "1.5"), ("-0", "0"),
    ("1e300", "1e+300"), ("true", nil), ("null", nil), ("{}", nil), ("[]", nil), (#"["a"]"#, nil),
  ])
  func scalarTextIsTheTextOfAStringOrNumber(json: String, text: String?) throws {
    #expect(try view(json).scalarText == text)
    #expect(try view("{\"m\":\(json)}").member("m")?.scalarText == text)
    #expect(try view("[0,\(json)]").elements[1].scalarText == text)
  }

  @Test func viewFindsEveryPartOfRandomValues() throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<500 {
      let value = RandomJSON(using: &random)
      let content = try Content(json: value.spelling(using: &random))
      #expect(
        Self.holds(value, ContentView(content)), "\(content.description), seed \(random.seed)")
    }
  }

  private static func holds(_ value: RandomJSON, _ view: ContentView) -> Bool {
    switch value {
    case .null: view.kind == .null && view.content.description == "null"
    case .boolean(let boolean):
      view.kind == .boolean && view.content.description == "\(boolean)"
    case .number: view.kind == .number && view.scalarText == view.content.description
    case .string(let text):
      view.kind == .string && view.scalarText.map { $0.utf8.elementsEqual(text.utf8) } == true
    case .array(let elements):
      view.kind == .array && view.elements.count == elements.count
        && zip(elements, view.elements).allSatisfy(holds)
    case .object(let members):
      view.kind == .object && view.members.count == members.count
        && members.allSatisfy { member in
          view.member(member.name).map { holds(member.value, $0) } ?? false
        }
    }
  }
}
