import ListChanges
import TestSupport
import Testing

@testable import ListModel

struct ContentMergeTests {
  private func merge(
    _ base: String?, _ mine: String, _ theirs: String, _ side: MergeSide
  ) throws -> (content: String, conflicts: [String]) {
    let merged = try Content(json: mine).merged(
      into: Content(json: theirs), base: base.map(Content.init(json:)), preferring: side)
    return (
      merged.content.description,
      merged.conflicts.map { conflict in
        let values = [conflict.base, conflict.mine, conflict.theirs].map { $0?.description ?? "-" }
        return "\(conflict.path): \(values.joined(separator: " "))"
      }
    )
  }

  @Test(arguments: [
    // Each side changes, adds or removes members of its own.
    (#"{"a":1,"b":2}"#, #"{"a":3,"b":2}"#, #"{"a":1,"b":4}"#, #"{"a":3,"b":4}"#),
    (#"{"a":1}"#, #"{"a":1,"c":1}"#, #"{"a":1,"b":2}"#, #"{"a":1,"b":2,"c":1}"#),
    (#"{"a":1,"b":2}"#, #"{"b":2}"#, #"{"a":1}"#, "{}"),
    // Objects in members, also those that both sides added.
    (#"{"a":{"x":1,"y":2}}"#, #"{"a":{"x":3,"y":2}}"#, #"{"a":{"x":1}}"#, #"{"a":{"x":3}}"#),
    ("{}", #"{"a":{"x":1}}"#, #"{"a":{"y":2}}"#, #"{"a":{"x":1,"y":2}}"#),
    (nil, #"{"a":1}"#, #"{"b":2}"#, #"{"a":1,"b":2}"#),
    // Equal changes are one, whatever their spelling; numbers keep their digits.
    (#"{"a":[1]}"#, #"{"a":[1,2]}"#, #"{"a":[1,2.0]}"#, #"{"a":[1,2]}"#),
    ("[1]", "[2]", "[2]", "[2]"), ("1", "12345678901234567890.1", "1", "12345678901234567890.1"),
    (#"{"a":1e2}"#, #"{"a":100}"#, #"{"a":3}"#, #"{"a":3}"#),
    // Names compare by bytes, and are escaped again.
    ("{}", "{\"e\u{301}\":1}", "{\"\u{E9}\":2}", "{\"e\u{301}\":1,\"\u{E9}\":2}"),
    ("{}", #"{"a\"\n":1}"#, #"{"\\":2}"#, #"{"\\":2,"a\"\n":1}"#),
  ])
  func changesOfDifferentMembersMerge(
    base: String?, mine: String, theirs: String, merged: String
  ) throws {
    for side in MergeSide.allCases {
      #expect(try merge(base, mine, theirs, side) == (merged, []))
    }
  }

  @Test(arguments: [
    (#"{"a":1,"b":1}"#, #"{"a":2,"b":2}"#, #"{"a":3}"#, ["/a: 1 2 3", "/b: 1 2 -"], #"{"a":3}"#),
    ("{}", #"{"a":2}"#, #"{"a":3}"#, ["/a: - 2 3"], #"{"a":3}"#),
    (nil, #"{"a":2,"b":1}"#, #"{"a":3}"#, ["/a: - 2 3"], #"{"a":3,"b":1}"#),
    // An object takes the place of another value on both sides, or on one of them.
    (
      #"{"a":1}"#, #"{"a":{"x":1}}"#, #"{"a":{"y":2}}"#, [#"/a: 1 {"x":1} {"y":2}"#],
      #"{"a":{"y":2}}"#
    ),
    (#"{"a":{"x":1}}"#, #"{"a":{"x":2}}"#, #"{"a":3}"#, [#"/a: {"x":1} {"x":2} 3"#], #"{"a":3}"#),
    (#"{"a":{"x":1}}"#, #"{"a":{"x":2}}"#, "{}", [#"/a: {"x":1} {"x":2} -"#], "{}"),
    // Arrays are one value; so are contents that are no objects.
    (#"{"a":[1]}"#, #"{"a":[1,2]}"#, #"{"a":[0,1]}"#, ["/a: [1] [1,2] [0,1]"], #"{"a":[0,1]}"#),
    ("1", "2", "3", [": 1 2 3"], "3"), ("{}", #"{"a":1}"#, "[]", [#": {} {"a":1} []"#], "[]"),
    (
      #"{"m":{"a/b":1}}"#, #"{"m":{"a/b":2}}"#, #"{"m":{"a/b":3}}"#, ["/m/a~1b: 1 2 3"],
      #"{"m":{"a/b":3}}"#
    ),
  ])
  func twoChangesOfOneMemberAreAConflict(
    base: String?, mine: String, theirs: String, conflicts: [String], withTheirs: String
  ) throws {
    #expect(try merge(base, mine, theirs, .theirs) == (withTheirs, conflicts))
    // The other way round, mine is what theirs was.
    let mirrored = try merge(base, theirs, mine, .mine)
    #expect(mirrored.content == withTheirs && mirrored.conflicts.count == conflicts.count)
  }

  /// Whether a content has the new value of a change; or, of an object that both sides may have
  /// added, each member.
  private func isHeld(_ change: MemberChange, in content: Content) -> Bool {
    let found = ContentView(content).value(at: change.path)
    guard change.old == nil, let new = change.new.map(ContentView.init), new.kind == .object else {
      return found?.content == change.new
    }
    return found?.kind == .object
      && new.members.allSatisfy { name, value in
        isHeld(
          MemberChange(path: change.path.appending(name), old: nil, new: value.content), in: content
        )
      }
  }

  @Test func everyChangeIsInTheMergedContentOrIsAConflict() throws {
    var random = SeededRandom.forThisRun()
    var (merged, conflicted) = (0, 0)
    for _ in 0..<1_000 {
      let value = RandomJSON(depth: 3, using: &random)
      let values = [value, value.edited(using: &random), value.edited(using: &random)]
      let contents = try values.map {
        try Content(json: $0.spelling(using: &random))
      }
      let note = Comment(rawValue: "\(contents), seed \(random.seed)")
      let (base, mine, theirs) = (contents[0], contents[1], contents[2])
      let merge = mine.merged(into: theirs, base: base, preferring: .theirs)
      #expect(try Content(json: merge.content.description) == merge.content, note)
      for change in base.memberChanges(to: mine) + base.memberChanges(to: theirs) {
        let isConflict = merge.conflicts.contains {
          $0.path.holds(change.path) || change.path.holds($0.path)
        }
        #expect(isConflict || isHeld(change, in: merge.content), note)
      }
      let mirror = theirs.merged(into: mine, base: base, preferring: .mine)
      #expect(mirror.content == merge.content, note)
      #expect(mirror.conflicts.map(\.path) == merge.conflicts.map(\.path), note)
      #expect(mirror.conflicts.map(\.mine) == merge.conflicts.map(\.theirs), note)
      #expect(
        mine.merged(into: merge.content, base: base, preferring: .theirs).content == merge.content,
        note)
      if merge.conflicts.isEmpty { merged += 1 } else { conflicted += 1 }
    }
    #expect(merged > 100 && conflicted > 100, "\(merged) and \(conflicted), seed \(random.seed)")
  }
}

extension RandomJSON {
  /// A value with some other members, or another value.
  fileprivate func edited(using random: inout SeededRandom) -> RandomJSON {
    guard case .object(var members) = self, !random.chance(8) else {
      return random.chance(2) ? self : RandomJSON(depth: 1, using: &random)
    }
    for index in members.indices.reversed() where random.chance(2) {
      if random.chance(4) {
        members.remove(at: index)
      } else {
        members[index].value = members[index].value.edited(using: &random)
      }
    }
    if random.chance(3), !members.contains(where: { $0.name == "new" }) {
      members.append(("new", RandomJSON(depth: 1, using: &random)))
    }
    return .object(members)
  }
}
