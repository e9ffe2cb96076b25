import ListChanges
import ListModel
import TestSupport
import Testing

@testable import ListDocuments

@Suite struct DeltaDocumentApplyTests {
  @Test func applyingToTheStartGivesExactlyTheTarget() throws {
    let new = try Parks.document().applied(to: Parks.old())
    #expect(try new == Parks.new())
    #expect(new.items.map(\.id) == ["denali", "yosemite", "zion", "glacier", "arches"])
    #expect(new.items[1].content.description == #"{"name":"Yosemite","rating":5}"#)
  }

  // MARK: Another start

  @Test func startWithADifferentRootIsRefused() throws {
    let document = try Parks.document()
    let old = try Parks.old()
    var changed = old.items
    changed[1] = try Parks.park("zion", #"{"name":"Zion!"}"#)
    let others = [
      [], old.items.dropLast(), old.items + [try Parks.park("extra")], old.items.reversed(),
      changed, try Parks.new().items,
    ]
    for items in others {
      let start = try Snapshot(Array(items))
      let error = DeltaError.notTheStart(
        expected: Root(of: old), found: Root(of: start))
      #expect(throws: error) { try document.applied(to: start) }
    }
  }

  @Test func countThatDiffersFromTheStartIsRefused() throws {
    let old = try Parks.old()
    let document = try damaged(#""from":{"count":5"#, #""from":{"count":6"#)
    let root = Root(of: old)
    #expect(throws: DeltaError.notTheStart(expected: root, found: root)) {
      try document.applied(to: old)
    }
  }

  // MARK: Wrong changes

  @Test(arguments: [
    (#""id":"acadia","from":2"#, #""id":"acadia","from":1"#, 1, "acadia"),
    (#""id":"acadia","from":2"#, #""id":"acadia","from":5"#, 5, "acadia"),
    ("acadia", "arches", 2, "arches"),
    ("denali", "zion", 4, "zion"),
    (#""from":4"#, #""from":3"#, 3, "denali"),
    (#""from":4"#, #""from":2"#, 2, "denali"),
    (#""from":4"#, #""from":5"#, 5, "denali"),
    ("yosemite", "yosemitE", 0, "yosemitE"),
    (#""from":0,"to":1"#, #""from":1,"to":1"#, 1, "yosemite"),
    (#""from":0,"to":1"#, #""from":99,"to":1"#, 99, "yosemite"),
  ])
  func differentItemAtTheNamedIndexIsRefused(
    part: String, replacement: String, index: Int, id: String
  ) throws {
    let document = try damaged(part, replacement)
    let error = DeltaError.changes(.itemMismatch(index: index, expected: ItemID(id)))
    #expect(throws: error) { try document.applied(to: Parks.old()) }
  }

  /// The indexes or the counts contradict each other.
  @Test(arguments: [
    (#""to":3"#, #""to":5"#, "inserted"),
    (#""to":3"#, #""to":0"#, "moved"),
    (#""from":4,"to":0"#, #""from":4,"to":5"#, "moved"),
    (#""from":0,"to":1"#, #""from":0,"to":2"#, "updated"),
    (#""from":0,"to":1"#, #""from":0,"to":5"#, "updated"),
    (#""to":{"count":5"#, #""to":{"count":4"#, "count"),
    (#""to":{"count":5"#, #""to":{"count":9007199254740991"#, "count"),
  ])
  func contradictoryChangesAreRefused(
    part: String, replacement: String, wrongArray: String
  ) throws {
    let document = try damaged(part, replacement)
    let error = #expect(throws: DeltaError.self) { try document.applied(to: Parks.old()) }
    guard case .changes(.invalid(let violation)) = error else {
      Issue.record("refused as \(String(describing: error))")
      return
    }
    #expect(violation.array == wrongArray)
  }

  @Test func insertionOfAnIDThatRemainsInTheListIsRefused() throws {
    let document = try damaged("glacier", "arches")
    #expect(
      throws: DeltaError.changes(.duplicateID("arches", first: 3, second: 4, side: .new))
    ) { try document.applied(to: Parks.old()) }
  }

  // MARK: A wrong outcome

  @Test(arguments: [
    ("Glacier", "glacier", ["denali", "yosemite", "zion", "glacier", "arches"]),
    (#""rating":5"#, #""rating":6"#, ["denali", "yosemite", "zion", "glacier", "arches"]),
    (#""glacier","to""#, #""Glacier","to""#, ["denali", "yosemite", "zion", "Glacier", "arches"]),
    (#""to":3"#, #""to":2"#, ["denali", "yosemite", "glacier", "zion", "arches"]),
    (
      #""moved":[{"id":"denali","from":4,"to":0}],"#, #""moved":[],"#,
      ["yosemite", "zion", "arches", "glacier", "denali"]
    ),
  ])
  func resultWithAWrongRootIsRefused(
    part: String, replacement: String, ids: [String]
  ) throws {
    var document = try damaged(part, replacement)
    if ids[0] == "yosemite" {
      // Without the move, the updated item stays where it was.
      document = try damaged(part, replacement, and: #""from":0,"to":1"#, #""from":0,"to":0"#)
    }
    let error = #expect(throws: DeltaError.self) { try document.applied(to: Parks.old()) }
    guard case .wrongResult(let expected, let found) = error else {
      Issue.record("refused as \(String(describing: error))")
      return
    }
    // The result, made by hand.
    var items: [Item] = []
    for id in ids {
      switch id {
      case "yosemite": items.append(document.changes.updated[0].item)
      case document.changes.inserted[0].item.id.text:
        items.append(document.changes.inserted[0].item)
      default: items.append(try Parks.park(id))
      }
    }
    #expect(found == Root(of: try Snapshot(items)))
    #expect(expected == Root(of: try Parks.new()))
  }

  @Test func documentThatStatesAWrongRootIsRefused() throws {
    let real = Root(of: try Parks.new())
    let other = Root(of: try Parks.old())
    let document = try damaged(
      #""to":{"count":5,"root":"\#(real)""#, #""to":{"count":5,"root":"\#(other)""#)
    #expect(throws: DeltaError.wrongResult(expected: other, found: real)) {
      try document.applied(to: Parks.old())
    }
  }

  /// Promise 4: if any byte is damaged on the way, no client gets a wrong list.
  @Test func damagedByteNeverGivesAWrongList() throws {
    let (old, new) = try (Parks.old(), Parks.new())
    let bytes = try Parks.document().encoded(.lines)
    var refused = 0
    for index in bytes.indices {
      for replacement in Array(#"0 "},a"#.utf8) where bytes[index] != replacement {
        var damaged = bytes
        damaged[index] = replacement
        do throws(DeltaError) {
          let result = try DeltaDocument(damaged).applied(to: old)
          #expect(result == new, "byte \(index)")
        } catch {
          refused += 1
        }
      }
    }
    #expect(refused > bytes.count)
  }

  private func damaged(
    _ part: String, _ replacement: String, and other: String = "", _ otherReplacement: String = ""
  ) throws -> DeltaDocument {
    var text = try String(decoding: Parks.document().encoded(.line), as: UTF8.self)
    text = try text.replacingOnly(part, with: replacement)
    if !other.isEmpty { text = try text.replacingOnly(other, with: otherReplacement) }
    return try DeltaDocument(Array(text.utf8), limits: .none)
  }

  // MARK: Every way from one list to another

  @Test func documentsLeadBetweenAllListsOfThreeIDs() throws {
    let lists = Self.arrangements(of: ["a", "b", "c"])
    #expect(lists.count == 16)
    for from in lists {
      for to in lists {
        let old = try Snapshot(from.map { try Parks.park($0, "1") })
        // "b" has different content in the new list, the others the same.
        let new = try Snapshot(to.map { try Parks.park($0, $0 == "b" ? "2" : "1") })
        try checkBridge(from: old, to: new, "\(from) → \(to)")
      }
    }
  }

  @Test func documentsLeadBetweenRandomListsByteForByte() throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<400 {
      let limit = [4, 10, 40][round % 3]
      var old = try random.snapshot(upTo: limit)
      // A sequence of versions, so ids go and return.
      for step in 0..<4 {
        let new =
          step == 3 ? try random.snapshot(upTo: limit) : try random.edited(old, pool: limit)
        try checkBridge(from: old, to: new, "seed \(random.seed), round \(round), step \(step)")
        old = new
      }
    }
  }

  private func checkBridge(from old: Snapshot, to new: Snapshot, _ note: Comment) throws {
    let delta = Delta(
      list: nil, from: ListState(of: old), to: ListState(of: new), oldest: nil,
      changes: old.changes(to: new))
    let document = DeltaDocument(delta)
    let result = try document.applied(to: old)
    #expect(result == new, note)
    #expect(SnapshotDocument.encode(result) == SnapshotDocument.encode(new), note)
    #expect(try DeltaDocument(document.encoded()).applied(to: old) == new, note)
    let isFound = old != new
    #expect((document.encoded().count { $0 == 0x0A } > 8) == isFound, note)
  }

  /// Every order of every subset.
  private static func arrangements(of ids: [String]) -> [[String]] {
    [[]]
      + ids.flatMap { first in
        arrangements(of: ids.filter { $0 != first }).map { [first] + $0 }
      }
  }
}
