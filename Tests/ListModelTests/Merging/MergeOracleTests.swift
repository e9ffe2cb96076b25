import Foundation
import ListChanges
import TestSupport
import Testing

@testable import ListModel

/// 600 merges made by a program that shares no code with this one.
@Suite(
  .enabled(
    if: Shared.has("oracle/merges.jsonl"),
    "SKIPPED: shared/oracle/merges.jsonl is not beside the checkout"))
struct MergeOracleTests {
  @Test func everyCaseGivesItsExactListsAndConflicts() throws {
    let lines = try Shared.data("oracle/merges.jsonl").split(separator: UInt8(ascii: "\n"))
    #expect(lines.count == 600)
    var conflictCount = 0
    for (number, line) in lines.enumerated() {
      let oracle = ContentView(try Content(json: Array(line)))
      func list(_ name: String) throws -> Snapshot {
        try Snapshot(
          #require(oracle.member(name)).elements.map { entry in
            let id = try #require(entry.elements[0].scalarText)
            return Item(id: ItemID(id), content: entry.elements[1].content)
          })
      }
      let conflicts = try #require(oracle.member("conflicts")).elements.map { $0.elements }
      let expected = conflicts.map { $0.compactMap(\.scalarText) }
      conflictCount += expected.count
      let (base, mine, theirs) = try (list("base"), list("mine"), list("theirs"))
      let merged = [
        MergeSide?.some(.mine): try list("merged_mine"), .theirs: try list("merged_theirs"),
        nil: expected.isEmpty ? try list("merged_mine") : nil,
      ]
      for (side, list) in merged {
        let merge = mine.merged(into: theirs, base: base, preferring: side)
        let name = Comment(rawValue: "case \(number), preferring \(side?.rawValue ?? "neither")")
        #expect(
          merge.conflicts.map { [$0.id.text, $0.kind.rawValue, "\($0.member.path)"] } == expected,
          name)
        #expect(try merge.changes.map(theirs.applying) == list, name)
        #expect(merge.changes == list.map(theirs.changes), name)
      }
    }
    #expect(conflictCount > 100)
  }
}
