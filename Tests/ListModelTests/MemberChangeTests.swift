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
