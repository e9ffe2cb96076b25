import ListChanges
import ListDocuments
import ListModel
import Testing

@Suite struct DeltaDocumentTests {
  @Test func documentContainsEveryChangeOfTheDelta() throws {
    let document = try Parks.storedDocument()
    #expect(document.list?.text == "parks")
    #expect(document.from.cursor?.description == "3-b71c0000000000000000000000000000")
    #expect(document.to.cursor?.description == "7-f968133dd817b0a3d8ac5fb6f2a1426f")
    #expect(document.oldest == Version(1))
    #expect(document.changes.removed.map(\.id) == ["acadia"])
    #expect(document.changes.removed.map(\.from) == [2])
    #expect(document.changes.moved.map(\.id) == ["denali"])
    #expect(document.changes.moved.map { [$0.from, $0.to] } == [[4, 0]])
    #expect(document.changes.inserted.map(\.to) == [3])
    #expect(
      try document.changes.inserted.map(\.item)
        == [Parks.park("glacier", #"{"name":"Glacier","state":"MT"}"#)])
    #expect(document.changes.updated.map { [$0.from, $0.to] } == [[0, 1]])
    #expect(
      try document.changes.updated.map(\.item)
        == [Parks.park("yosemite", #"{"name":"Yosemite","rating":5}"#)])
  }

  @Test func differentDocumentsAreNotEqual() throws {
    let (compared, stored) = try (Parks.document(), Parks.storedDocument())
    #expect(compared != stored)
    #expect(compared.changes.removed == stored.changes.removed)
    #expect(compared.changes.moved == stored.changes.moved)
    #expect(compared.changes.inserted == stored.changes.inserted)
    #expect(compared.changes.updated == stored.changes.updated)
  }
}
