import ListModel
import Testing

@testable import ListDocuments

@Suite struct IDRuleTests {
  private func id(_ specifications: [String], _ json: String) throws -> String {
    try IDRule(specifications).id(of: Content(json: json)).text
  }

  // MARK: Where an id stands

  @Test(
    arguments: [
      // A member, by its exact name.
      (["id"], #"{"id":"a","ID":"b"}"#, "a"),
      (["a.b"], #"{"a.b":"x","a":{"b":"y"}}"#, "x"),
      (["a/b"], #"{"a/b":"x"}"#, "x"),
      (["~0"], #"{"~0":"x","~":"y"}"#, "x"),
      // A pointer.
      (["/id"], #"{"id":"a"}"#, "a"),
      (["/properties/code"], #"{"properties":{"code":"a"},"code":"b"}"#, "a"),
      (["/a~1b/~0"], #"{"a/b":{"~":"x"}}"#, "x"),
      (["/codes/1"], #"{"codes":["a","b"]}"#, "b"),
      (["/codes/0/id"], #"{"codes":[{"id":7}]}"#, "7"),
      (["/codes/1"], #"{"codes":{"1":"named"}}"#, "named"),
      (["/"], #"{"":"x"}"#, "x"),
      // An item may be an array, as rows are.
      (["/0"], #"["a","b"]"#, "a"),
      (["1"], #"["a","b"]"#, "b"),
      // The first alternative that exists.
      (["a|b"], #"{"a":"x","b":"y"}"#, "x"),
      (["a|b"], #"{"b":"y"}"#, "y"),
      (["a|b"], #"{"a":null,"b":"y"}"#, "y"),
      (["Link|link|/meta/link"], #"{"meta":{"link":"z"}}"#, "z"),
      // A bar or a backslash in a name.
      ([#"a\|b"#], #"{"a|b":"x","a":"y","b":"z"}"#, "x"),
      ([#"a\|b|c"#], #"{"c":"x"}"#, "x"),
      ([#"a\b"#], #"{"a\\b":"x"}"#, "x"),
      ([#"a\"#], #"{"a\\":"x"}"#, "x"),
      // Bare strings, and numbers.
      (["."], #""acadia""#, "acadia"),
      (["."], "2.50", "2.5"),
      // The member named "." needs a pointer.
      (["/."], #"{".":"x"}"#, "x"),
    ] as [([String], String, String)])
  func ruleFindsTheIDAtItsNamedPlace(rule: [String], json: String, expected: String) throws {
    #expect(try id(rule, json) == expected)
  }

  @Test(arguments: [
    (["title", "year"], #"{"title":"Heat","year":1995}"#, "Heat\u{1F}1995"),
    (["year", "title"], #"{"title":"Heat","year":1995}"#, "1995\u{1F}Heat"),
    (["a", "b|c", "/d/0"], #"{"a":"1","c":"2","d":["3"]}"#, "1\u{1F}2\u{1F}3"),
  ])
  func unitSeparatorJoinsThePartsOfACompoundID(
    rule: [String], json: String, expected: String
  ) throws {
    #expect(try id(rule, json) == expected)
  }

  @Test(arguments: [
    ["1", "1.0", "1.00", "10e-1", "0.1e1", "1E0"],
    ["0", "-0", "0.0", "0e5"],
    ["-2.5", "-25e-1", "-2.50"],
    ["12345678901234567890", "12345678901234567890.0"],
    ["0.001", "1e-3"],
  ])
  func equalNumbersInAnySpellingAreOneID(spellings: [String]) throws {
    for spelling in spellings {
      #expect(try id(["id"], #"{"id":\#(spelling)}"#) == spellings[0], "\(spelling)")
    }
  }

  @Test func largeNumbersThatAreEqualAsDoublesAreDifferentIDs() throws {
    let ids = try ["9007199254740992", "9007199254740993"].map { try id(["."], $0) }
    #expect(ids == ["9007199254740992", "9007199254740993"])
  }

  /// "|" and a combining accent are one Character in Swift, but two characters in other programs.
  @Test func barBeforeACombiningMarkIsASeparator() throws {
    #expect(try id(["a|\u{301}b"], "{\"\u{301}b\":\"x\"}") == "x")
  }

  // MARK: Missing ids

  @Test(
    arguments: [
      (["id"], "{}", IDRule.Failure.missing(field: "id")),
      (["id"], #"{"id":null}"#, .missing(field: "id")),
      (["id"], #"{"ID":"a"}"#, .missing(field: "id")),
      (["id"], #""id""#, .missing(field: "id")),
      (["id"], "[]", .missing(field: "id")),
      (["a|b"], #"{"c":"x","a":null}"#, .missing(field: "a|b")),
      (["/a/b"], #"{"a":"b"}"#, .missing(field: "/a/b")),
      (["/a/2"], #"{"a":["x","y"]}"#, .missing(field: "/a/2")),
      (["/a/-"], #"{"a":["x"]}"#, .missing(field: "/a/-")),
      (["/a/-1"], #"{"a":["x"]}"#, .missing(field: "/a/-1")),
      (["a", "b"], #"{"a":"x"}"#, .missing(field: "b")),
      (["id"], #"{"id":true}"#, .unsuitable(field: "id", kind: "boolean")),
      (["id"], #"{"id":false}"#, .unsuitable(field: "id", kind: "boolean")),
      (["id"], #"{"id":{"a":1}}"#, .unsuitable(field: "id", kind: "object")),
      (["id"], #"{"id":["a"]}"#, .unsuitable(field: "id", kind: "array")),
      // The first existing value counts, even if another alternative would be valid.
      (["a|b"], #"{"a":[],"b":"x"}"#, .unsuitable(field: "a|b", kind: "array")),
      (["a", "b"], #"{"a":"x","b":{}}"#, .unsuitable(field: "b", kind: "object")),
      (["."], #"{"id":"a"}"#, .unsuitable(field: ".", kind: "object")),
      (["."], "true", .unsuitable(field: ".", kind: "boolean")),
      (["id"], #"{"id":""}"#, .empty(field: "id")),
      (["."], #""""#, .empty(field: ".")),
      (["a", "b"], #"{"a":"","b":""}"#, .empty(field: "a")),
      (["a", "b"], #"{"a":"x","b":""}"#, .empty(field: "b")),
      (["a", "b"], #"{"a":"x","b":"y\u001fz"}"#, .holdsSeparator(field: "b")),
      (["a", "b"], #"{"a":"\u001f","b":"y"}"#, .holdsSeparator(field: "a")),
    ] as [([String], String, IDRule.Failure)])
  func missingIDErrorStatesTheReason(rule: [String], json: String, failure: IDRule.Failure) {
    #expect(throws: failure) { try id(rule, json) }
  }

  /// RFC 6901, section 4: an array index is 0, or digits that do not begin with 0.
  @Test(arguments: ["/a/01", "/a/+1", "/a/1.0", "/a/ 1", "/a/", "/a/١"])
  func onlyACanonicalNumberIsAnArrayIndex(pointer: String) {
    #expect(throws: IDRule.Failure.missing(field: pointer)) {
      try id([pointer], #"{"a":["x","y"]}"#)
    }
  }

  @Test func singlePartIDMayContainTheSeparator() throws {
    #expect(try id(["id"], #"{"id":"a\u001fb"}"#) == "a\u{1F}b")
  }

  // MARK: Rules that are none

  @Test(
    arguments: [
      ([], IDRuleError.empty),
      ([""], .empty),
      (["a", ""], .empty),
      (["a|"], .empty),
      (["|a"], .empty),
      (["a||b"], .empty),
      ([".", "a"], .notAlone),
      (["a", "."], .notAlone),
      (["a|."], .notAlone),
      (["/a~"], .malformedPointer("/a~")),
      (["/a~2"], .malformedPointer("/a~2")),
      (["a|/~"], .malformedPointer("/~")),
    ] as [([String], IDRuleError)])
  func aMalformedRuleIsRefused(specifications: [String], error: IDRuleError) {
    #expect(throws: error) { try IDRule(specifications) }
  }

  @Test func standardRuleUsesTheMemberID() throws {
    #expect(try IDRule(["id"]) == .standard)
    #expect(IDRule.standard.isItself == false)
    #expect(try IDRule(["."]).isItself)
  }
}
