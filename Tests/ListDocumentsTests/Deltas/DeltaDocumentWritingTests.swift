import ListDocuments
import ListModel
import Testing

@Suite struct DeltaDocumentWritingTests {
  private func text(_ document: DeltaDocument, _ layout: DeltaDocument.Layout) -> String {
    String(decoding: document.encoded(layout), as: UTF8.self)
  }

  private static let golden = """
    {"format":"list-delta/1","kind":"changes","list":"parks",
    "from":{"cursor":"3-b71c0000000000000000000000000000","version":3,"count":5,\
    "root":"a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"},
    "to":{"cursor":"7-f968133dd817b0a3d8ac5fb6f2a1426f","version":7,\
    "committed_at":"2026-11-21T11:37:00.250Z","author":"Ann","message":null,"count":5,\
    "root":"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",\
    "previous":"c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4"},
    "oldest":1,"more":false,
    "removed":[
    {"id":"acadia","from":2}],
    "moved":[
    {"id":"denali","from":4,"to":0}],
    "inserted":[
    {"id":"glacier","to":3,"content":{"name":"Glacier","state":"MT"}}],
    "updated":[
    {"id":"yosemite","from":0,"to":1,"content":{"name":"Yosemite","rating":5}}]}

    """

  @Test func lineLayoutPutsEveryChangeOnItsOwnLine() throws {
    #expect(try text(Parks.storedDocument(), .lines) == Self.golden)
  }

  @Test func singleLineLayoutIsTheSameTextWithoutLineBreaks() throws {
    let line = Self.golden.filter { $0 != "\n" } + "\n"
    #expect(try text(Parks.storedDocument(), .line) == line)
  }

  @Test func documentOfTwoComparedFilesHasNoNameAndNoVersions() throws {
    let zion = try Snapshot([Parks.park("zion")])
    let document = DeltaDocument(
      Delta(
        list: nil, from: ListState(of: zion), to: ListState(of: zion), oldest: nil,
        changes: zion.changes(to: zion)))
    let state = #"{"count":1,"root":"\#(Root(of: zion))"}"#
    #expect(
      text(document, .line) == #"{"format":"list-delta/1","kind":"changes","#
        + #""from":\#(state),"to":\#(state),"more":false,"#
        + "\"removed\":[],\"moved\":[],\"inserted\":[],\"updated\":[]}\n")
    #expect(
      text(document, .lines) == """
        {"format":"list-delta/1","kind":"changes",
        "from":\(state),
        "to":\(state),
        "more":false,
        "removed":[],
        "moved":[],
        "inserted":[],
        "updated":[]}

        """)
  }

  @Test func writerEscapesIDsAndSeparatesChangesWithCommas() throws {
    let old = try Snapshot([Parks.park("a\"\n\u{1F}é", "1"), Parks.park("b", "2")])
    let document = DeltaDocument(
      Delta(
        list: nil, from: ListState(of: old), to: ListState(of: .empty), oldest: nil,
        changes: old.changes(to: .empty)))
    #expect(
      text(document, .lines).contains(
        """
        "removed":[
        {"id":"a\\"\\n\\u001fé","from":0},
        {"id":"b","from":1}],

        """))
  }
}
