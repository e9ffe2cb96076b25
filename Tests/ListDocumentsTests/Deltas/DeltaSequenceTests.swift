import ListChanges
import ListModel
import TestSupport
import Testing

@testable import ListDocuments

@Suite struct DeltaSequenceTests {
  private func documents(_ bytes: [UInt8]) throws(DeltaError) -> [DeltaSequence.Document] {
    var sequence = DeltaSequence(bytes)
    var documents: [DeltaSequence.Document] = []
    while let document = try sequence.next() { documents.append(document) }
    return documents
  }

  @Test func documentsOfEveryKindAndLayoutFollowEachOther() throws {
    let document = try Parks.document()
    let new = try Parks.new()
    let whole = SnapshotDelta(
      list: ListName("parks")!, from: nil, to: ListState(of: new), oldest: Version(1),
      snapshot: new, reason: .first)
    let text =
      document.encoded(.line) + document.encoded(.lines) + "\n".utf8 + whole.encoded(.lines)
      + document.encoded(.line)
    let found = try documents(text)
    #expect(
      found == [.changes(document), .changes(document), .snapshot(whole), .changes(document)])
    #expect(try documents([]).isEmpty)
    var list = DeltaReplay(try Parks.old())
    for document in [found[0], found[2]] { try list.apply(document) }
    #expect(list.snapshot == new && list.root == Root(of: new))
  }

  @Test func errorHasThePlaceOfItsDocument() throws {
    let line = try Parks.document().encoded(.line)
    var sequence = DeltaSequence(line + "\n  {\"format\":\"list-delta/2\"}\n".utf8)
    #expect(try sequence.next() != nil)
    let error = #expect(throws: DeltaError.self) { try sequence.next() }
    #expect(error?.description.hasPrefix("/format is not \"list-delta/1\" or") == true)
    #expect(sequence.position.description == "line 3, column 3")
    var joined = DeltaSequence(line.dropLast() + line)
    #expect(try joined.next() != nil)
    #expect(throws: DeltaError.self) { try joined.next() }
  }
}
