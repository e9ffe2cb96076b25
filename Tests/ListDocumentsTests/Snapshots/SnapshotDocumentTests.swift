import ListDocuments
import ListModel
import TestSupport
import Testing

@Suite struct SnapshotDocumentTests {
  private func text(_ snapshot: Snapshot) -> String {
    String(decoding: SnapshotDocument.encode(snapshot), as: UTF8.self)
  }

  @Test func emptyListIsWrittenAsAnEmptyArray() throws {
    #expect(text(.empty) == "[]\n")
    #expect(try read("[]\n").snapshot == .empty)
  }

  @Test func everyItemIsWrittenOnItsOwnLineInCanonicalForm() throws {
    let snapshot = try read(#"[{"name":"Zion","id":"z"},{"id":"é","n":1.50},{"id":"\n"}]"#).snapshot
    #expect(
      text(snapshot) == """
        [
        {"id":"z","name":"Zion"},
        {"id":"é","n":1.5},
        {"id":"\\n"}
        ]

        """)
  }

  @Test func snapshotRoundTripsThroughItsDocument() throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<300 {
      let snapshot = try random.snapshot(upTo: 20)
      let bytes = SnapshotDocument.encode(snapshot)
      let file = try SnapshotReader(options: SnapshotOptions()).read(bytes)
      #expect(file.snapshot == snapshot, "seed \(random.seed), round \(round)")
      #expect(SnapshotDocument.encode(file.snapshot) == bytes)
    }
  }

  @Test func bareStringsRoundTripThroughADocument() throws {
    let rule = try IDRule(["."])
    let snapshot = try read(#"["b","a\"","é"]"#, id: rule).snapshot
    #expect(text(snapshot) == "[\n\"b\",\n\"a\\\"\",\n\"é\"\n]\n")
    #expect(try read(text(snapshot), id: rule).snapshot == snapshot)
  }
}
