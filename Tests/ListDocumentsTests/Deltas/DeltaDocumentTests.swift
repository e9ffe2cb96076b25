import ListChanges
import ListDocuments
import ListModel
import Testing

@Suite struct DeltaDocumentTests {
  @Test func aDocumentTakesEveryChangeOfTheDelta() throws {
    let document = try Parks.storedDocument()
    #expect(document.list?.text == "parks")
    #expect(document.from.cursor?.description == "3-b71c00000000")
    #expect(document.to.cursor?.description == "7-3f9a1c2b7d40")
    #expect(document.oldest == Version(1))
    #expect(document.removed.map(\.id) == ["acadia"])
    #expect(document.removed.map(\.from) == [2])
    #expect(document.moved.map(\.id) == ["denali"])
    #expect(document.moved.map { [$0.from, $0.to] } == [[4, 0]])
    #expect(document.inserted.map(\.to) == [3])
    #expect(
      try document.inserted.map(\.item)
        == [Parks.park("glacier", #"{"name":"Glacier","state":"MT"}"#)])
    #expect(document.updated.map { [$0.from, $0.to] } == [[0, 1]])
    #expect(
      try document.updated.map(\.item)
        == [Parks.park("yosemite", #"{"name":"Yosemite","rating":5}"#)])
  }

  @Test func documentsThatDifferAreNotEqual() throws {
    let (compared, stored) = try (Parks.document(), Parks.storedDocument())
    #expect(compared != stored)
    #expect(compared.removed == stored.removed)
    #expect(compared.moved == stored.moved)
    #expect(compared.inserted == stored.inserted)
    #expect(compared.updated == stored.updated)
  }
}
