import Foundation
import ListChanges
import TestSupport
import Testing

/// Renderings in JSON. The documents of `listsync delta --as` have the same members.
@Suite struct RenderingCodingTests {
  /// d moves to the front and changes, b changes in place, c is removed, e is inserted.
  private let old = Pair.list("abcd")
  private let new = Pair.list("d'ab'e")

  private func json(_ value: some Encodable) throws -> JSONValue {
    try JSONValue(parsing: JSONEncoder().encode(value))
  }

  private func parsed(_ text: String) throws -> JSONValue { try JSONValue(parsing: text.utf8) }

  @Test func patchEncodesAsAnArrayOfOperations() throws {
    let patch = try old.changes(to: new).jsonPatch()
    let expected = """
      [{"op":"remove","path":"/2"},{"op":"move","from":"/2","path":"/0"},
      {"op":"add","path":"/3","value":{"id":101,"value":0}},
      {"op":"replace","path":"/0","value":{"id":100,"value":1}},
      {"op":"replace","path":"/2","value":{"id":98,"value":1}}]
      """
    #expect(try json(patch) == parsed(expected))
  }

  @Test func encodedPatchGivesTheNewDocument() throws {
    for pair in ListPair.all(over: 3) + ListPair.random(rounds: 200) {
      let patch = try json(pair.changes().jsonPatch())
      let result = try JSONPatchInterpreter.apply(patch, to: json(pair.old))
      #expect(try result == json(pair.new), "\(pair)")
    }
  }

  /// RFC 6902, 4.1: an add must have a value, and null is one.
  @Test func encodedPatchContainsNullValues() throws {
    let patch = try old.changes(to: new).jsonPatch().map { _ in Int?.none }
    let written = try json(patch).elements?.compactMap { $0["value"] }
    #expect(written == [.null, .null, .null])
  }

  @Test func batchesEncodeAsObjectsOfIndexesAndDecodeAgain() throws {
    let batches = try old.changes(to: new).twoBatchUpdates()
    let expected = """
      {"first":{"deleted":[2],"inserted":[3],"moved":[{"from":3,"to":0}],"reloaded":[]},
      "second":{"deleted":[],"inserted":[],"moved":[],"reloaded":[0,2]}}
      """
    #expect(try json(batches) == parsed(expected))
    let read = try JSONDecoder().decode(TwoBatchUpdates.self, from: JSONEncoder().encode(batches))
    #expect(read == batches)
  }

  @Test func otherIndexRenderingsEncodeAsObjectsOfTheirMembers() throws {
    let changes = try old.changes(to: new)
    #expect(
      try json(changes.indexUpdate())
        == parsed(#"{"deletions":[2,3],"insertions":[0,3],"reloads":[1]}"#))
    #expect(
      try json(changes.stagedChanges())
        == parsed(#"{"updated":[1,3],"deleted":[2],"inserted":[3],"moved":[{"from":2,"to":0}]}"#))
  }

  @Test func stepsAndActionsEncodeAsArraysOfOperations() throws {
    let changes = try old.changes(to: new)
    #expect(
      try json(changes.actions())
        == parsed(
          #"[{"do":"delete","from":2},{"do":"move","from":3,"to":0},{"do":"add","to":3}]"#))
    let steps = """
      [{"do":"delete","from":2},{"do":"move","from":2,"to":0},{"do":"insert","to":3},
      {"do":"update","to":0},{"do":"update","to":2}]
      """
    #expect(try json(changes.sequentialSteps()) == parsed(steps))
  }

  @Test func stepsWithElementsEncodeTheElements() throws {
    let linear = """
      [{"do":"delete","from":2,"element":{"id":99,"value":0}},
      {"do":"replace","to":0,"old":{"id":100,"value":0},"new":{"id":100,"value":1}},
      {"do":"move","from":3,"to":0},{"do":"move","from":0,"to":1},
      {"do":"replace","to":2,"old":{"id":98,"value":0},"new":{"id":98,"value":1}},
      {"do":"move","from":1,"to":2},{"do":"insert","to":3,"element":{"id":101,"value":0}}]
      """
    #expect(try json(old.changes(to: new).linearSteps()) == parsed(linear))
    let script = """
      {"oldCount":3,"newCount":4,
      "steps":[{"do":"substitute","from":1,"to":1,"old":"i","new":"a"},
      {"do":"insert","to":3,"element":"s"}]}
      """
    let (kit, kats) = ("kit".map(String.init), "kats".map(String.init))
    #expect(try json(kit.editScript(to: kats)) == parsed(script))
  }

  @Test func indexPathsEncodeLikeThoseOfFoundation() throws {
    let paths = try old.changes(to: new).indexUpdate()
    let view = ViewUpdate(update: paths, section: 7)
    #expect(try json(view)["deletions"] == json([[7, 2], [7, 3]] as [IndexPath]))
    let batch = try old.changes(to: new).twoBatchUpdates().first.indexPaths(inSection: 7)
    #expect(try json(batch)["moved"]?.elements?.first?["from"] == json([7, 3] as IndexPath))
  }
}
