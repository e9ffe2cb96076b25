import ListModel
import TestSupport
import Testing

@testable import ListDocuments

@Suite struct DeltaDocumentReadingTests {
  /// As another program may write it: with white space, other orders and additional members.
  private static let foreign = """
    {
      "updated": [
        {"content": {"rating": 5.0, "name": "Yosemit\\u0065"}, "to": 1, "from": 0, "id": "yosemite"}
      ],
      "inserted": [
        {"id": "glacier", "to": 3, "content": {"state": "MT", "name": "Glacier"}, "by": [null]}
      ],
      "moved": [{"id": "denali", "from": 4e0, "to": 0, "why": {}}],
      "removed": [{"id": "acadia", "from": 2, "content": null}],
      "more": false, "oldest": 1, "reason": "none",
      "to": {
        "root": "00112233445566778899AABBCCDDEEFF00112233445566778899AABBCCDDEEFF",
        "count": 5, "version": 7,
        "previous": "c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4C4",
        "cursor": "7-F968133DD817B0A3D8AC5FB6F2A1426F", "author": "Ann",
        "committed_at": "2026-11-21T11:37:00.250Z", "time": 0
      },
      "from": {
        "root": "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1",
        "count": 5, "version": 3,
        "cursor": "3-b71c0000000000000000000000000000"
      },
      "list": "parks", "kind": "changes", "format": "list-delta/1"
    }
    """

  @Test func readerIgnoresMemberOrderSpellingAndExtraMembers() throws {
    #expect(try DeltaDocument(Array(Self.foreign.utf8)) == Parks.storedDocument())
    #expect(try DeltaDocument(byteOrderMark + Array(Self.foreign.utf8)) == Parks.storedDocument())
  }

  @Test(arguments: [DeltaDocument.Layout.line, .lines])
  func readerRestoresTheWrittenDocument(layout: DeltaDocument.Layout) throws {
    for document in try [Parks.document(), Parks.storedDocument()] {
      #expect(try DeltaDocument(document.encoded(layout)) == document)
    }
    var random = SeededRandom.forThisRun()
    for round in 0..<200 {
      let old = try random.snapshot(upTo: 12)
      let new = try random.edited(old, pool: 12)
      let document = DeltaDocument(
        Delta(
          list: ListName("a.b-c_1"), from: ListState(of: old), to: ListState(of: new),
          oldest: .zero,
          changes: old.changes(to: new)))
      let read = try DeltaDocument(document.encoded(layout))
      #expect(read == document, "seed \(random.seed), round \(round)")
    }
  }

  // MARK: Malformed documents

  /// A part of the golden document, its replacement, and the resulting fault.
  struct Damage: Sendable {
    let part: String
    let replacement: String
    let place: String
    let expected: String

    init(_ part: String, _ replacement: String, _ place: String, _ expected: String) {
      self.part = part
      self.replacement = replacement
      self.place = place
      self.expected = expected
    }
  }

  private static let index = "a whole number from 0"
  private static let cursor = "a cursor such as 7-3f9a1c2b7d40c5e6918f20aa3b7714de"
  private static let follows = "the cursor that follows from the members beside it"
  private static let time = "a time such as 2026-11-21T11:37:00.250Z"
  private static let glacier = #""content":{"name":"Glacier","state":"MT"}"#
  private static let acadia = #""removed":[{"id":"acadia","from":2}]"#

  private static let damages = [
    Damage(#""format":"list-delta/1","#, "", "/format", "a string"),
    Damage("list-delta/1", "list-delta/2", "/format", #""list-delta/1""#),
    Damage(#""list-delta/1""#, "1", "/format", "a string"),
    Damage(#""kind":"changes","#, "", "/kind", "a string"),
    Damage(#""kind":"changes""#, #""kind":"snapshot""#, "/kind", #""changes""#),
    Damage(#""list":"parks""#, #""list":null"#, "/list", "a string"),
    Damage(#""list":"parks""#, #""list":"my parks""#, "/list", ListName.rule),
    Damage(#""from":{"#, #""From":{"#, "/from/root", "a string"),
    Damage(#""to":{"#, #""To":{"#, "/to/root", "a string"),
    Damage(#""3-b71c0000000000000000000000000000""#, "3", "/from/cursor", "a string"),
    Damage("3-b71c0000000000000000000000000000", "3-b71c", "/from/cursor", cursor),
    Damage("7-f968133dd817b0a3d8ac5fb6f2a1426f", "7", "/to/cursor", cursor),
    Damage(#""7-f9"#, #""-7-f9"#, "/to/cursor", cursor),
    Damage(#"426f""#, #"426e""#, "/to/cursor", follows),
    Damage(#""version":7"#, #""version":6"#, "/to/cursor", follows),
    Damage(#""Ann""#, #""Eve""#, "/to/cursor", follows),
    Damage(#""message":null"#, #""message":"""#, "/to/cursor", follows),
    Damage("37:00.250Z", "37:00.251Z", "/to/cursor", follows),
    Damage("c4\"}", "c5\"}", "/to/cursor", follows),
    Damage("eeff0011", "eeff0012", "/to/cursor", follows),
    Damage(#""committed_at":"2026-11-21T11:37:00.250Z","#, "", "/to/committed_at", "a string"),
    Damage("2026-11-21T11:37:00.250Z", "yesterday", "/to/committed_at", time),
    Damage(#""author":"Ann""#, #""author":7"#, "/to/author", "a string"),
    Damage(#""previous""#, #""before""#, "/to/previous", "a string"),
    Damage("c4\"}", "\"}", "/to/previous", "64 hex digits"),
    Damage(#""version":3,"count":5,"#, "", "/from/count", index),
    Damage(#""count":5,"root":"00"#, #""count":"5","root":"00"#, "/to/count", index),
    Damage(#""count":5,"root":"00"#, #""count":-5,"root":"00"#, "/to/count", index),
    Damage(
      "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1", "a1a1", "/from/root",
      "64 hex digits"),
    Damage("ccddeeff\"", "ccddeefg\"", "/to/root", "64 hex digits"),
    Damage(#""oldest":1"#, #""oldest":-1"#, "/oldest", index),
    Damage(#""oldest":1"#, #""oldest":null"#, "/oldest", index),
    Damage(acadia + ",", "", "/removed", "an array"),
    Damage(acadia, #""removed":{}"#, "/removed", "an array"),
    Damage(acadia, #""removed":[7]"#, "/removed/0/id", "a string"),
    Damage(#""id":"acadia","#, "", "/removed/0/id", "a string"),
    Damage(#""acadia""#, "7", "/removed/0/id", "a string"),
    Damage("acadia", "", "/removed/0/id", "an id that is not empty"),
    Damage(#""from":2"#, #""from":2.5"#, "/removed/0/from", index),
    Damage(#""from":2"#, #""from":"2""#, "/removed/0/from", index),
    Damage(#""from":2"#, #""from":1e30"#, "/removed/0/from", index),
    Damage(#""from":2}"#, #""from":2},{"id":"zion"}"#, "/removed/1/from", index),
    Damage(#""moved":["#, #""moved":[[],"#, "/moved/0/id", "a string"),
    Damage(#""from":4,"#, "", "/moved/0/from", index),
    Damage(#""from":4,"to":0"#, #""from":4,"to":null"#, "/moved/0/to", index),
    Damage(#""to":3,"#, #""to":-1,"#, "/inserted/0/to", index),
    Damage("," + glacier, "", "/inserted/0/content", "a JSON value"),
    Damage(#""id":"glacier","#, "", "/inserted/0/id", "a string"),
    Damage(#""from":0,"#, "", "/updated/0/from", index),
    Damage(#""to":1,"#, "", "/updated/0/to", index),
    Damage("yosemite", "", "/updated/0/id", "an id that is not empty"),
    Damage(#""updated""#, #""Updated""#, "/updated", "an array"),
  ]

  @Test(arguments: damages)
  func malformedDocumentIsRefusedWithThePlaceOfTheFault(damage: Damage) throws {
    let golden = try String(decoding: Parks.storedDocument().encoded(.line), as: UTF8.self)
    let text = try golden.replacingOnly(damage.part, with: damage.replacement)
    let place = try #require(JSONPointer(damage.place))
    #expect(throws: DeltaError.malformed(at: place, expected: damage.expected)) {
      try DeltaDocument(Array(text.utf8))
    }
  }

  @Test(arguments: ["7", "[]", "null", #""list-delta/1""#, "{}"])
  func otherJSONValuesAreRefused(text: String) throws {
    let place = try #require(JSONPointer("/format"))
    #expect(throws: DeltaError.malformed(at: place, expected: "a string")) {
      try DeltaDocument(Array(text.utf8))
    }
  }

  @Test func everyPrefixOfADocumentIsRefusedAsCutOff() throws {
    let bytes = try Parks.storedDocument().encoded(.lines)
    for count in 0..<bytes.count - 1 {
      let error = #expect(throws: DeltaError.self, "\(count)") {
        try DeltaDocument(Array(bytes.prefix(count)))
      }
      guard case .json(let json, let position) = error else {
        Issue.record("\(count): \(String(describing: error))")
        continue
      }
      #expect(json.reason.isCutOff)
      #expect(position == TextPosition(offset: count, in: bytes))
    }
    #expect(try DeltaDocument(bytes.dropLast()) == Parks.storedDocument())
  }

  @Test func textAfterTheDocumentAndDuplicateMembersAreRefused() throws {
    let bytes = try Parks.storedDocument().encoded(.line)
    let after = bytes + Array("{}".utf8)
    let error = #expect(throws: DeltaError.self) { try DeltaDocument(after) }
    guard case .json(_, let position) = error else {
      Issue.record("not refused for the text behind it")
      return
    }
    #expect(position.description == "line 2, column 1")

    let twice = Array(#"{"kind":"changes",  "kind":"changes"}"#.utf8)
    #expect(
      throws: DeltaError.json(
        JSONError(offset: 20, reason: .duplicateMember("kind")),
        at: TextPosition(offset: 20, in: twice))
    ) { try DeltaDocument(twice) }
  }
}

extension String {
  /// Replaces a part that occurs in the text exactly once.
  func replacingOnly(_ part: String, with replacement: String) throws -> String {
    let pieces = split(separator: part, maxSplits: 2, omittingEmptySubsequences: false)
    try #require(pieces.count == 2, "\(part) stands \(pieces.count - 1) times in \(self)")
    return pieces.joined(separator: replacement)
  }
}
