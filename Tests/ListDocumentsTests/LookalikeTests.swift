import ListChanges
import ListModel
import TestSupport
import Testing

@testable import ListDocuments

/// Ids, members and columns that differ only by Unicode normalisation, read and written back.
@Suite struct LookalikeTests {
  /// One item for each text; the texts are also the names of its members.
  private static func json(_ texts: [String]) -> [String] {
    let members = texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      .map { "\"\($0)\":\"\($0)\"" }.joined(separator: ",")
    return texts.map { "{\"id\":\"\($0)\",\(members)}" }
  }

  private func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

  private func snapshot(_ texts: [String]) throws -> Snapshot {
    try Snapshot(
      zip(texts, Self.json(texts)).map {
        Item(id: ItemID($0), content: try Content(json: $1))
      })
  }

  @Test(arguments: Lookalikes.pairs)
  func snapshotIsReadAndWrittenBackByteForByte(_ texts: [String]) throws {
    let rows = Self.json(texts)
    for text in ["[\n\(rows.joined(separator: ",\n"))\n]\n", rows.joined(separator: "\n")] {
      let read = try read(text)
      #expect(bytes(read.ids) == bytes(texts))
      #expect(read.snapshot == (try snapshot(texts)))
    }
    let text =
      "[\n\(try snapshot(texts).items.map(\.content.description).joined(separator: ",\n"))\n]\n"
    #expect(SnapshotDocument.encode(try read(text).snapshot) == Array(text.utf8))
  }

  @Test(arguments: Lookalikes.pairs)
  func columnsAndRowsWithLookalikeNamesStayDistinct(_ texts: [String]) throws {
    let table = "\(texts[0]),\(texts[1])\n\(texts[0]),1\n\(texts[1]),2\n"
    let byFirst = try read(table, as: .csv, id: IDRule([texts[0]]))
    #expect(bytes(byFirst.ids) == bytes(texts))
    let bySecond = try read(table, as: .csv, id: IDRule([texts[1]]))
    #expect(bySecond.ids == ["1", "2"])
    #expect(throws: SnapshotError.noIDColumn(field: texts[1], columns: [texts[0]])) {
      try read("\(texts[0])\nx\n", as: .csv, id: IDRule([texts[1]]))
    }
  }

  @Test(arguments: Lookalikes.pairs)
  func idRuleNamesAMemberRatherThanItsLookalike(_ texts: [String]) throws {
    let item = try Content(json: "{\"\(texts[0])\":\"first\",\"\(texts[1])\":\"second\"}")
    #expect(try IDRule([texts[0]]).id(of: item) == "first")
    #expect(try IDRule(["/" + texts[1]]).id(of: item) == "second")
    #expect(try IDRule([texts[0]]) != IDRule([texts[1]]))
  }

  // A former fault: a slash followed by a combining mark is one Character, and was not seen as a
  // slash.
  @Test func pointerToAMemberThatStartsWithACombiningMarkIsRead() throws {
    let item = try Content(json: "{\"\u{301}a\":\"x\"}")
    #expect(try IDRule(["/\u{301}a"]).id(of: item) == "x")
  }

  @Test(arguments: Lookalikes.pairs)
  func deltaIsWrittenReadAndAppliedByteForByte(_ texts: [String]) throws {
    let old = try snapshot([texts[0], "x", "y"])
    let new = try snapshot(["y", texts[1], "x"])
    let delta = Delta(
      list: nil, from: ListState(of: old), to: ListState(of: new), oldest: nil,
      changes: old.changes(to: new))
    let written = DeltaDocument(delta).encoded()
    let read = try DeltaDocument(written)
    #expect(read.encoded() == written)
    #expect(read.changes.removed.map(\.id) == [ItemID(texts[0])])
    #expect(bytes(try read.applied(to: old).items.map(\.id.text)) == bytes(["y", texts[1], "x"]))
    // A delta from the lookalike starts at another list.
    let lookalike = try snapshot([texts[1], "x", "y"])
    #expect(throws: DeltaError.self) { try read.applied(to: lookalike) }
    #expect(Root(of: lookalike) != Root(of: old))
  }

  @Test(arguments: Lookalikes.pairs)
  func bundleKeepsIDsContentsAuthorsAndMessagesByteForByte(_ texts: [String]) throws {
    var history = BundleHistory()
    for text in texts {
      history.commit(
        try snapshot([text]),
        CommitNote(time: Timestamp(millisecondsSince1970: 0), author: text, message: text))
    }
    let header = BundleHeader(
      list: Parks.name, idRule: try IDRule([texts[1]]).text, start: .zero, target: history.states[2]
    )
    var writer = try BundleWriter(header)
    for step in history.steps { try writer.append(.step(step)) }
    _ = try writer.finish()
    let written = writer.takeBytes()
    var reader = BundleReader()
    let events = try reader.read(written)
    _ = try reader.finish()
    var copy = try BundleWriter(header)
    for event in events.dropFirst() { try copy.append(event) }
    _ = try copy.finish()
    #expect(copy.takeBytes() == written)
    let authors = events.compactMap { event in
      if case .step(let step) = event { step.to.header?.note.author } else { nil }
    }
    #expect(bytes(authors) == bytes(texts))
    #expect(history.states[1].chain != history.states[2].chain)
  }
}
