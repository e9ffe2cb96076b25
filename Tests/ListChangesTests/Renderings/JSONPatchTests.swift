import ListChanges
import TestSupport
import Testing

@Suite struct JSONPatchTests {
  @Test func patchMatchesTheOperationsOfTheExampleInOrder() throws {
    let old = "xaybcd".map { Letter(id: $0) }
    let new = "yaBnxc".map { Letter(id: $0 == "B" ? "b" : $0, isCapital: $0 == "B") }
    let patch = try old.changes(to: new).jsonPatch()
    #expect(
      patch.operations == [
        .remove(at: 5), .move(from: 1, to: 2), .move(from: 0, to: 3),
        .add(Letter(id: "n"), at: 3), .replace(Letter(id: "b", isCapital: true), at: 2),
      ])
    #expect(patch.operations.map(\.op) == ["remove", "move", "move", "add", "replace"])
    #expect(patch.operations.map(\.path) == ["/5", "/2", "/3", "/3", "/2"])
    #expect(patch.operations.map(\.from) == [nil, "/1", "/0", nil, nil])
    #expect(patch.operations.map { $0.value?.id } == [nil, nil, nil, "n", "b"])
    #expect(patch.map(\.id).operations[4] == .replace("b", at: 2))
  }

  /// The place before b, which still has to move, is as good as the place after it; the
  /// documentation says before.
  @Test func moveInsertsTheItemDirectlyAfterItsFinalPredecessor() throws {
    let (old, new) = ("akbmn".map { Letter(id: $0) }, "kamnb".map { Letter(id: $0) })
    let patch = try old.changes(to: new).jsonPatch()
    #expect(patch.operations == [.move(from: 0, to: 1), .move(from: 2, to: 4)])
  }

  @Test func patchGivesTheNewArrayForAllPairsOverFourIDs() throws {
    let lists = allLists(over: 4)
    for old in lists { for new in lists { try check(old, new) } }
  }

  @Test func patchGivesTheNewArrayForAllOrdersOfSixItems() throws {
    let old = (0..<6).map { Pair(id: $0, value: 0) }
    let orders = allLists(over: 6).filter { $0.count == 6 }
    #expect(orders.count == 720)
    for new in orders { try check(old, new) }
  }

  @Test func patchGivesTheNewArrayForRandomLists() throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<1_000 {
      let limit = [3, 8, 40][round % 3]
      let old = random.list(limit: limit)
      let new = round % 2 == 0 ? random.edited(old, limit: limit) : random.list(limit: limit)
      try check(old, new, "seed \(random.seed), round \(round)")
    }
  }

  /// Change sets from other sources may move more items than necessary.
  @Test func patchOfUnnecessaryMovesGivesTheNewArray() throws {
    let old = (0..<5).map { Pair(id: $0, value: 0) }
    let changes = try ChangeSet<Pair>(
      oldCount: 5, newCount: 4, removed: [.init(from: 2, element: old[2])],
      moved: [(0, 0), (1, 3), (4, 2)].map { .init(from: $0, to: $1, id: nil) }, inserted: [],
      updated: [])
    let result = try JSONPatchInterpreter.apply(changes.jsonPatch().json, to: old.json)
    #expect(try result == old.applying(changes).json)
  }

  private func check(_ old: [Pair], _ new: [Pair], _ note: String = "") throws {
    let changes = try old.changes(to: new)
    let patch = changes.jsonPatch()
    func context() -> Comment {
      Comment(rawValue: "\(note) \(old) → \(new): \(patch.operations)")
    }
    let outcome = Result { try JSONPatchInterpreter.apply(patch.json, to: old.json) }
    #expect((try? outcome.get()) == new.json, context())
    let ops = Dictionary(grouping: patch.operations, by: \.op).mapValues(\.count)
    #expect(ops["remove", default: 0] == changes.removed.count, context())
    #expect(ops["move", default: 0] == changes.moved.count, context())
    #expect(ops["add", default: 0] == changes.inserted.count, context())
    #expect(ops["replace", default: 0] == changes.updated.count, context())
    // With the fewest moves, every move changes its item's place.
    #expect(patch.operations.allSatisfy { $0.from != $0.path }, context())
  }
}

private struct Letter: Identifiable, Equatable {
  let id: Character
  var isCapital = false
}

extension [Pair] {
  var json: JSONValue { .array(map(\.json)) }
}

extension Pair {
  var json: JSONValue {
    .object(["id": .number(Double(id)), "value": .number(Double(value))])
  }
}

extension JSONPatch<Pair> {
  var json: JSONValue {
    .array(
      operations.map { operation in
        var members: [String: JSONValue] = [
          "op": .string(operation.op), "path": .string(operation.path),
        ]
        members["from"] = operation.from.map { .string($0) }
        members["value"] = operation.value.map(\.json)
        return .object(members)
      })
  }
}
