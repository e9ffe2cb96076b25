import ListDocuments
import ListModel
import Testing

@Suite struct SnapshotAssemblerTests {
  /// a b a c a b, each with its place, one on each line.
  private static let repeated =
    "[\n" + "abacab".enumerated().map { #"  {"id":"\#($1)","at":\#($0)}"# }.joined(separator: ",\n")
    + "\n]\n"

  // MARK: Duplicates

  @Test func duplicatesAreRefusedWithBothIndexesAndPositions() {
    guard case .duplicateIDs(let samples, let count) = refusal(of: Self.repeated.utf8) else {
      Issue.record("not refused for its duplicates")
      return
    }
    #expect(count == 3)
    #expect(samples.map(\.id) == ["a", "a", "b"])
    #expect(samples.map { [$0.first, $0.second] } == [[0, 2], [0, 4], [1, 5]])
    #expect(
      samples.map { "\($0.firstPosition); \($0.secondPosition)" } == [
        "line 2, column 3; line 4, column 3",
        "line 2, column 3; line 6, column 3",
        "line 3, column 3; line 7, column 3",
      ])
  }

  @Test func positionsOfDuplicatesCountCharacters() {
    let text = #"[{"id":"é😀"}, {"id":"é😀"}]"#
    guard case .duplicateIDs(let samples, 1) = refusal(of: text.utf8) else {
      Issue.record("not refused for its duplicate")
      return
    }
    #expect(samples.map(\.secondPosition.column) == [15])
    #expect(samples.map(\.secondPosition.offset) == [18])
  }

  @Test(arguments: [
    (SnapshotOptions.Format.ndjson, "{\"id\":\"a\"}\n\n{\"id\":\"b\"}\n{\"id\":\"a\"}\n", 1, 4),
    (.csv, "id,text\na,\"1\n2\"\n\nb,3\na,4\n", 2, 6),
  ])
  func duplicatePositionsReferToTheFileInEveryFormat(
    format: SnapshotOptions.Format, text: String, firstLine: Int, secondLine: Int
  ) {
    let error = refusal(of: text.utf8, options: SnapshotOptions(format: format))
    guard case .duplicateIDs(let samples, 1) = error else {
      Issue.record("not refused for its duplicate")
      return
    }
    #expect(samples.map { [$0.first, $0.second] } == [[0, 2]])
    #expect(samples.map(\.firstPosition.description) == ["line \(firstLine), column 1"])
    #expect(samples.map(\.secondPosition.description) == ["line \(secondLine), column 1"])
  }

  @Test func errorsLimitTheirSamplesButCountEveryItem() {
    let twice = (0..<8).flatMap { _ in [#"{"id":"a"}"#] }.joined(separator: ",")
    guard case .duplicateIDs(let samples, let count) = refusal(of: "[\(twice)]".utf8) else {
      Issue.record("not refused for its duplicates")
      return
    }
    #expect(samples.map(\.second) == [1, 2, 3, 4, 5])
    #expect(count == 7)

    let without = (0..<8).map { #"{"n":\#($0)}"# }.joined(separator: ",")
    guard case .noID(let missing, let missingCount) = refusal(of: "[\(without)]".utf8) else {
      Issue.record("not refused for its missing ids")
      return
    }
    #expect(missing.map(\.index) == [0, 1, 2, 3, 4])
    #expect(missingCount == 8)
  }

  @Test func keepFirstKeepsTheFirstItemAtItsIndex() throws {
    let file = try read(Self.repeated, duplicates: .keepFirst)
    #expect(file.contents == [#"{"at":0,"id":"a"}"#, #"{"at":1,"id":"b"}"#, #"{"at":3,"id":"c"}"#])
    #expect(file.leftOutCount == 3)
  }

  @Test func keepLastKeepsTheLastItemAtItsIndex() throws {
    let file = try read(Self.repeated, duplicates: .keepLast)
    #expect(file.contents == [#"{"at":3,"id":"c"}"#, #"{"at":4,"id":"a"}"#, #"{"at":5,"id":"b"}"#])
    #expect(file.leftOutCount == 3)
  }

  @Test func idsAreComparedByTheirBytes() throws {
    let ids = try read("[\"\u{E9}\",\"e\u{301}\"]", id: IDRule(["."])).ids
    #expect(ids.map { Array($0.utf8) } == [[0xC3, 0xA9], [0x65, 0xCC, 0x81]])
  }

  @Test func idsWithTwoSpellingsOfOneNumberAreDuplicates() {
    guard case .duplicateIDs(let samples, 1) = refusal(of: #"[{"id":1},{"id":1.0}]"#.utf8) else {
      Issue.record("1 and 1.0 are one id")
      return
    }
    #expect(samples.map(\.id) == ["1"])
  }

  // MARK: Items without an id

  @Test func itemsWithoutAnIDAreRefusedWithTheirMembers() {
    let text = "[{\"id\":\"a\"},\n {\"name\":\"x\",\"é\":1},\n {\"id\":true}, 7]"
    guard case .noID(let samples, let count) = refusal(of: text.utf8) else {
      Issue.record("not refused for its missing ids")
      return
    }
    #expect(count == 3)
    #expect(samples.map(\.index) == [1, 2, 3])
    #expect(
      samples.map(\.failure) == [
        .missing(field: "id"), .unsuitable(field: "id", kind: "boolean"), .missing(field: "id"),
      ])
    #expect(samples.map(\.members) == [["name", "é"], ["id"], nil])
    #expect(
      samples.map(\.position.description) == [
        "line 2, column 2", "line 3, column 2", "line 3, column 15",
      ])
  }

  @Test(arguments: [SnapshotOptions.Duplicates.keepFirst, .keepLast])
  func keepPoliciesAlsoLeaveOutItemsWithoutAnID(policy: SnapshotOptions.Duplicates) throws {
    let text = #"[{"n":0},{"id":"a"},{"id":null},{"id":"a"},{"id":""},{"id":"b"}]"#
    let file = try read(text, duplicates: policy)
    #expect(file.ids == ["a", "b"])
    #expect(file.leftOutCount == 4)
  }

  @Test(arguments: SnapshotOptions.Duplicates.allCases)
  func ruleThatMatchesNoItemIsRefusedUnderEveryPolicy(policy: SnapshotOptions.Duplicates) throws {
    let rule = try IDRule(["code"])
    let error = refusal(
      of: #"[{"id":"a"},{"id":"b"}]"#.utf8,
      options: SnapshotOptions(idRule: rule, duplicates: policy))
    guard case .noID(let samples, 2) = error else {
      Issue.record("not refused: \(String(describing: error))")
      return
    }
    #expect(samples.map(\.failure) == [.missing(field: "code"), .missing(field: "code")])
    #expect(samples.map(\.members) == [["id"], ["id"]])
  }

  @Test(arguments: SnapshotOptions.Duplicates.allCases)
  func emptyListIsAcceptedUnderEveryRule(policy: SnapshotOptions.Duplicates) throws {
    #expect(try read("[]", id: IDRule(["code"]), duplicates: policy).snapshot == .empty)
  }

  @Test func missingAndRepeatedIDsAreReportedTogether() {
    let error = refusal(of: #"[{"id":"a"},{"n":1},{"id":"a"},{"id":"a"}]"#.utf8)
    guard case .missingAndDuplicateIDs(.noID(_, 1), .duplicateIDs(let samples, 2)) = error else {
      Issue.record("refused with \(String(describing: error))")
      return
    }
    #expect(samples.map(\.second) == [2, 3])
  }
}
