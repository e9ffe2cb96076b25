import TestSupport
import Testing

@testable import ListModel

struct MemberChangeTests {
  /// A change as a line of text: path, old and new.
  private func lines(_ old: String, _ new: String) throws -> [String] {
    try Content(json: old).memberChanges(to: Content(json: new)).map { change in
      "\(change.path): \(change.old?.description ?? "-") > \(change.new?.description ?? "-")"
    }
  }

  @Test(arguments: [
    // Changed, added, removed; in canonical order for any order in the text.
    (#"{"b":1,"a":1}"#, #"{"a":2,"b":3}"#, ["/a: 1 > 2", "/b: 1 > 3"]),
    (#"{"a":1}"#, #"{"a":1,"b":null}"#, ["/b: - > null"]),
    (#"{"a":1,"b":null}"#, #"{"a":1}"#, ["/b: null > -"]),
    (
      #"{"a":1,"c":2,"e":3}"#, #"{"b":1,"c":2,"d":3}"#,
      ["/a: 1 > -", "/b: - > 1", "/d: - > 3", "/e: 3 > -"]
    ),
    ("{}", #"{"a":{"b":1}}"#, [#"/a: - > {"b":1}"#]),
    (#"{"a":{"b":1}}"#, "{}", [#"/a: {"b":1} > -"#]),
    // Objects inside are compared member by member.
    (
      #"{"a":{"x":1,"y":{"z":1,"w":0}},"b":0}"#, #"{"a":{"x":1,"y":{"z":2,"w":0},"v":0},"b":0}"#,
      ["/a/v: - > 0", "/a/y/z: 1 > 2"]
    ),
    // Arrays and other kinds are compared as a whole.
    (#"{"a":[1,{"b":1}]}"#, #"{"a":[1,{"b":2}]}"#, [#"/a: [1,{"b":1}] > [1,{"b":2}]"#]),
    (#"{"a":{}}"#, #"{"a":[]}"#, ["/a: {} > []"]), (#"{"a":1}"#, #"{"a":"1"}"#, [#"/a: 1 > "1""#]),
    ("1", "2", [": 1 > 2"]), ("[1]", "[2]", [": [1] > [2]"]),
    (#"{"a":1}"#, "[]", [#": {"a":1} > []"#]),
    ("null", "{}", [": null > {}"]),
    // Names are escaped in the path, and ordered by their bytes.
    (
      #"{"a/b":1,"m~n":1,"":1}"#, #"{"a/b":2,"m~n":2,"":2}"#,
      ["/: 1 > 2", "/a~1b: 1 > 2", "/m~0n: 1 > 2"]
    ),
    ("{\"\u{E9}\":1}", "{\"e\u{301}\":1}", ["/e\u{301}: - > 1", "/\u{E9}: 1 > -"]),
    ("{\"\u{FFFF}\":1}", "{\"\u{10000}\":1}", ["/\u{FFFF}: 1 > -", "/\u{10000}: - > 1"]),
    // Equal values in other spellings are no change.
    (#"{"a":1.0,"b":{"c":[ ]}}"#, #"{"b":{"c":[]},"a":1}"#, []), ("{}", "{}", []), ("1", "1e0", []),
  ])
  func changesNameTheMembersThatDiffer(old: String, new: String, expected: [String]) throws {
    #expect(try lines(old, new) == expected)
  }

  @Test(arguments: [
    (["/a"], [], ["/a/x: 1 > 2", "/a/y: 3 > 4"]),
    (["/a/x"], [], ["/a/x: 1 > 2"]),
    (["/a/x", "/b"], [], ["/a/x: 1 > 2", "/b: 5 > -"]),
    ([], ["/a"], ["/ab: 7 > 8", "/b: 5 > -"]),
    ([], ["/a/x", "/ab"], ["/a/y: 3 > 4", "/b: 5 > -"]),
    (["/a"], ["/a/y"], ["/a/x: 1 > 2"]),
    (["/c", "/a/z", "/b/q"], [], []),
    ([], [""], []), ([""], ["/a", "/ab", "/b"], []),
  ])
  func filterNamesTheMembersThatCount(only: [String], ignored: [String], expected: [String]) throws
  {
    let old = try Content(json: #"{"a":{"x":1,"y":3},"ab":7,"b":5}"#)
    let new = try Content(json: #"{"a":{"x":2,"y":4},"ab":8}"#)
    let filter = MemberFilter(
      only: try only.map { try #require(JSONPointer($0)) },
      ignored: try ignored.map { try #require(JSONPointer($0)) })
    let lines = old.memberChanges(to: new, filter).map { change in
      "\(change.path): \(change.old?.description ?? "-") > \(change.new?.description ?? "-")"
    }
    #expect(lines == expected)
  }

  @Test func memberOfAChangedArrayOrScalarIsComparedByItself() throws {
    let old = try Content(json: #"{"a":[1,{"b":1}],"c":{"d":1}}"#)
    let new = try Content(json: #"{"a":[1,{"b":2}],"c":3}"#)
    func changes(_ path: String) throws -> [MemberChange] {
      old.memberChanges(to: new, MemberFilter(only: [try #require(JSONPointer(path))]))
    }
    #expect(try changes("/a/0").isEmpty)
    #expect(try changes("/a/1/b").map(\.new) == [try Content(json: "2")])
    #expect(try changes("/c/d").map(\.old) == [try Content(json: "1")])
    #expect(try changes("/c/d").map(\.new) == [nil])
  }

  @Test func equalValuesHaveNoChangesAndReversedChangesAreMirrored() throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<500 {
      let a = try Content(json: RandomJSON(depth: 2, using: &random).spelling(using: &random))
      let b = try Content(json: RandomJSON(depth: 2, using: &random).spelling(using: &random))
      let changes = a.memberChanges(to: b)
      #expect(changes.isEmpty == (a == b), "\(a) and \(b), seed \(random.seed)")
      #expect(a.memberChanges(to: a).isEmpty, "\(a), seed \(random.seed)")
      let mirrored = b.memberChanges(to: a).map {
        MemberChange(path: $0.path, old: $0.new, new: $0.old)
      }
      #expect(changes == mirrored, "\(a) and \(b), seed \(random.seed)")
    }
  }
}
