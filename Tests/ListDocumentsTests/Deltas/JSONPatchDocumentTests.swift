import ListChanges
import ListDocuments
import ListModel
import TestSupport
import Testing

@Suite struct JSONPatchDocumentTests {
  private static let golden = """
    [
    {"op":"remove","path":"/2"},
    {"op":"move","from":"/3","path":"/0"},
    {"op":"add","path":"/3","value":{"name":"Glacier","state":"MT"}},
    {"op":"replace","path":"/1","value":{"name":"Yosemite","rating":5}}]

    """

  private func text(
    _ patch: JSONPatch<Item>, _ layout: DeltaDocument.Layout = .lines
  ) -> String {
    String(decoding: patch.encoded(layout), as: UTF8.self)
  }

  @Test func lineLayoutPutsEveryOperationOnItsOwnLine() throws {
    let patch = try Parks.document().jsonPatch()
    #expect(text(patch) == Self.golden)
    #expect(text(patch, .line) == Self.golden.filter { $0 != "\n" } + "\n")
  }

  @Test func patchOfEqualListsIsAnEmptyArray() throws {
    let old = try Parks.old()
    #expect(text(old.changes(to: old).jsonPatch()) == "[]\n")
  }

  @Test func documentAndChangeSetGiveTheSamePatchToTheNewSnapshot() throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<300 {
      let old = try random.snapshot(upTo: 12)
      let new = try random.edited(old, pool: 12)
      let note = Comment(rawValue: "seed \(random.seed), round \(round)")
      let patch = old.changes(to: new).jsonPatch()
      let document = DeltaDocument(
        Delta(
          list: nil, from: ListState(of: old), to: ListState(of: new), oldest: nil,
          changes: old.changes(to: new)))
      #expect(try document.jsonPatch() == patch, note)
      let result = try JSONPatchInterpreter.apply(
        JSONValue(parsing: patch.encoded()), to: JSONValue(parsing: SnapshotDocument.encode(old)))
      #expect(try result == JSONValue(parsing: SnapshotDocument.encode(new)), note)
    }
  }

  @Test func guardedPatchLeadsFromItsOwnSnapshotOnly() throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<300 {
      let old = try random.snapshot(upTo: 6)
      let (new, other) = (try random.edited(old, pool: 8), try random.edited(old, pool: 8))
      let note = Comment(rawValue: "seed \(random.seed), round \(round)")
      let patch = try JSONValue(parsing: old.changes(to: new).jsonPatch().encoded(testing: old))
      let result = try JSONPatchInterpreter.apply(
        patch, to: JSONValue(parsing: SnapshotDocument.encode(old)))
      #expect(try result == JSONValue(parsing: SnapshotDocument.encode(new)), note)
      let wrong = try JSONValue(parsing: SnapshotDocument.encode(other))
      guard try wrong != JSONValue(parsing: SnapshotDocument.encode(old)) else { continue }
      #expect(throws: (any Error).self, note) {
        try JSONPatchInterpreter.apply(patch, to: wrong)
      }
    }
  }

  @Test func guardOfTheEmptyListIsAnEmptyArray() throws {
    let new = try Parks.old()
    let text = String(
      decoding: Snapshot.empty.changes(to: new).jsonPatch().encoded(testing: .empty), as: UTF8.self)
    #expect(text.hasPrefix("[\n{\"op\":\"test\",\"path\":\"\",\"value\":[]},\n{\"op\":\"add\""))
  }

  @Test func documentWithImpossibleChangesIsRefused() throws {
    let text = String(decoding: try Parks.document().encoded(), as: UTF8.self)
    let damaged = try DeltaDocument(
      Array(text.replacing("\"from\":4", with: "\"from\":5").utf8))
    #expect(throws: DeltaError.self) { try damaged.jsonPatch() }
  }
}
