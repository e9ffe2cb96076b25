import ListChanges
import Testing

@testable import ListModel

struct ItemMergeTests {
  private func list(_ contents: [String: String]) throws -> Snapshot {
    try Snapshot(
      contents.sorted { $0.key < $1.key }.map {
        Item(id: ItemID($0), content: try Content(json: $1))
      })
  }

  private func merge(preferring side: MergeSide?) throws -> (ItemMerge, Snapshot) {
    let base = try list(["b": #"{"x":1,"y":{"z":1}}"#, "c": #"{"x":1}"#, "d": #"{"x":1}"#])
    let mine = try list([
      "a": #"{"n":1}"#, "b": #"{"x":2,"y":{"z":2}}"#, "d": #"{"x":2}"#,
    ])
    let theirs = try list([
      "a": #"{"n":2,"m":0}"#, "b": #"{"x":3,"y":{"z":3}}"#, "c": #"{"x":2}"#,
    ])
    return (mine.merged(into: theirs, base: base, preferring: side), theirs)
  }

  @Test func conflictsNameTheMemberAndTheThreeValues() throws {
    let (merge, _) = try merge(preferring: nil)
    #expect(merge.changes == nil)
    let texts = merge.conflicts.map { conflict in
      let member = conflict.member
      let values = [member.base, member.mine, member.theirs].map { $0?.description ?? "-" }
      return "\(conflict.id) \(conflict.kind.rawValue) \(member.path) "
        + values.joined(separator: " ")
    }
    #expect(
      texts == [
        "a inserted /n - 1 2", "b changed /x 1 2 3", "b changed /y/z 1 2 3",
        #"c removed-by-mine  {"x":1} - {"x":2}"#, #"d removed-by-theirs  {"x":1} {"x":2} -"#,
      ])
  }

  @Test func preferredSideDecidesConflictsAndOtherMembersMerge() throws {
    let expected: [MergeSide: [String: String]] = [
      .mine: [
        "a": #"{"m":0,"n":1}"#, "b": #"{"x":2,"y":{"z":2}}"#, "d": #"{"x":2}"#,
      ],
      .theirs: [
        "a": #"{"m":0,"n":2}"#, "b": #"{"x":3,"y":{"z":3}}"#, "c": #"{"x":2}"#,
      ],
    ]
    for (side, contents) in expected {
      let (merge, theirs) = try merge(preferring: side)
      let changes = try #require(merge.changes)
      #expect(try theirs.applying(changes) == list(contents))
      #expect(merge.conflicts.count == 5)
    }
  }
}
