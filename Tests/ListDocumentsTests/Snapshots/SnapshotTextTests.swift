import ListModel
import TestSupport
import Testing

@testable import ListDocuments

/// A list is written in the form of a file, and items keep the bytes that a file has for them.
struct SnapshotTextTests {
  private func text(_ file: String, _ items: String? = nil) throws -> SnapshotText {
    let options = SnapshotOptions(items: try items.map { try #require(JSONPointer($0)) })
    return try SnapshotReader(options: options).text(Array(file.utf8))
  }

  /// A list by the ids of mine, of theirs (in capitals), and of items with contents of their own.
  private func list(
    _ ids: String, _ mine: SnapshotText, _ theirs: SnapshotText, _ others: [String: String] = [:]
  ) throws -> Snapshot {
    try Snapshot(
      ids.map { letter in
        let id = letter.lowercased()
        if let other = others[id] { return Item(id: ItemID(id), content: try Content(json: other)) }
        let source = letter.isUppercase ? theirs : mine
        return try #require(source.read.snapshot.items.first { $0.id == ItemID(id) })
      })
  }

  @Test(arguments: [
    // White space, order of members and numbers stay; what stands around the items is that of mine.
    (
      "[\n  {\"id\": \"a\", \"B\": 1.50},\n  {\"id\": \"b\"}\n]\n",
      "[{\"z\":1e2,\"id\":\"c\"}]", "bCa",
      "[\n  {\"id\": \"b\"},\n  {\"z\":1e2,\"id\":\"c\"},\n  {\"id\": \"a\", \"B\": 1.50}\n]\n"
    ),
    // One item shows what separates two; none is written without.
    (
      "[\n\t{\"id\":\"a\"}\n]", "[{\"id\":\"c\"}]", "aC",
      "[\n\t{\"id\":\"a\"},\n\t{\"id\":\"c\"}\n]"
    ),
    ("[ {\"id\":\"a\"} ]", "[]", "", "[  ]"),
    // An empty file does not show it: theirs does.
    ("[]", "[\n {\"id\":\"c\"}\n]", "C", "[\n {\"id\":\"c\"}\n]"), ("[ ]\n", "[]", "", "[ ]\n"),
    // A line each.
    (
      "{\"id\":\"a\"}\n{\"id\":\"b\", \"x\":0}\n", "{\"id\":\"c\"}\n{\"id\":\"d\"}", "Cba",
      "{\"id\":\"c\"}\n{\"id\":\"b\", \"x\":0}\n{\"id\":\"a\"}\n"
    ),
    // A file in another form gives contents, not texts.
    (
      "{\"id\":\"a\"}\n{\"id\":\"b\"}", "[\n{\n\"id\": \"c\"}]", "aC",
      "{\"id\":\"a\"}\n{\"id\":\"c\"}"
    ),
    // Tables: rows with their quotes and line ends.
    (
      "id,x\r\na,\"1\"\r\nb,\"2,3\"\r\n", "id,x\nc,\"4\"\n", "bCa",
      "id,x\r\nb,\"2,3\"\r\nc,\"4\"\r\na,\"1\"\r\n"
    ),
    // A new column of theirs comes last; a column that no item has any more goes.
    ("id,x\na,1\nb,2", "y,id\n5,c\n", "aC", "id,x,y\na,1,\nc,,5"),
    ("id,x\na,1\nb,\n", "id\nb\n", "B", "id\nb\n"),
    (
      "id,x,\na,1,p,q\nb,2\n", "id,x\nc,\"a \"\"b\"\"\"\n", "Ca",
      "id,x,\nc,\"a \"\"b\"\"\",\na,1,p,q\n"
    ),
  ])
  func listIsWrittenInTheFormOfMine(
    mine: String, theirs: String, ids: String, expected: String
  ) throws {
    let (mine, theirs) = try (text(mine), text(theirs))
    let list = try list(ids, mine, theirs)
    let written = String(decoding: mine.replacingItems(with: list, from: theirs), as: UTF8.self)
    #expect(written == expected)
  }

  @Test(arguments: [
    // Of an item with members of both sides, each keeps its text.
    (
      "{\"id\": \"a\", \"x\": 1.0, \"y\": [ 1 ]}", "{\"id\":\"a\",\"y\":[2, 2],\"new\": 1e1}",
      #"{"id":"a","new":10,"x":1,"y":[2,2]}"#,
      "{\"id\": \"a\", \"x\": 1.0, \"y\": [2, 2], \"new\": 1e1}"
    ),
    // Objects inside likewise; a member that is gone takes its separator along.
    (
      "{ \"m\": {\n  \"p\" : 1,\n  \"q\" : 2\n}, \"id\": \"a\" }",
      "{\"id\":\"a\",\"m\":{\"q\":3,\"r\":0}}",
      #"{"id":"a","m":{"q":3}}"#, "{ \"m\": {\n  \"q\" : 3\n}, \"id\": \"a\" }"
    ),
    // One member shows what separates two.
    (
      "{\n  \"id\": \"a\"\n}", "{\"id\":\"a\",\"x\":1}", #"{"id":"a","x":1,"y":{"z":0}}"#,
      "{\n  \"id\": \"a\",\n  \"x\": 1,\n  \"y\": {\"z\":0}\n}"
    ),
    (
      "{\"id\":\"a\",\"e\\u0301\":1}", "{\"id\":\"a\"}", #"{"id":"a","é":2}"#,
      "{\"id\":\"a\",\"é\":2}"
    ),
  ])
  func mergedItemKeepsTheTextOfItsMembers(
    mine: String, theirs: String, merged: String, expected: String
  ) throws {
    let (mine, theirs) = try (text("[\(mine)]"), text("[\(theirs)]"))
    let list = try list("a", mine, theirs, ["a": merged])
    let written = String(decoding: mine.replacingItems(with: list, from: theirs), as: UTF8.self)
    #expect(try Content(json: String(written.dropFirst().dropLast())) == Content(json: merged))
    #expect(written == "[\(expected)]")
  }

  @Test func documentAroundTheItemsStays() throws {
    let mine = try text(
      #"{"made": 1, "data": {"rows": [ {"id":"a"} , {"id":"b"} ]}, "end": []}"#, "/data/rows")
    let theirs = try text(#"{"data":{"rows":[{"id":"c"}]}}"#, "/data/rows")
    let written = mine.replacingItems(with: try list("bC", mine, theirs), from: theirs)
    #expect(
      String(decoding: written, as: UTF8.self)
        == #"{"made": 1, "data": {"rows": [ {"id":"b"} , {"id":"c"} ]}, "end": []}"#)
  }

  /// The written text reads as the list, for files of random items in random spellings.
  @Test(arguments: SnapshotOptions.Format.allCases)
  func writtenListReadsAsTheList(format: SnapshotOptions.Format) throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<200 {
      let items = try (0..<random.number(1...6)).map { number in
        let value = ["1", "1.0", "\"x,\\\"\"", "[1, 2]", "{\"p\": null}"].randomElement(
          using: &random)
        let content =
          format == .csv
          ? #"{"id":"\#(number)","x":"\#(random.number(0...9)),\n"}"#
          : #"{ "x":\#(value ?? ""), "id": "\#(number)" }"#
        return Item(id: ItemID("\(number)"), content: try Content(json: content))
      }
      func file(_ items: [Item]) throws -> SnapshotText {
        let snapshot = try Snapshot(items)
        let bytes =
          switch format {
          case .json: SnapshotDocument.encode(snapshot)
          case .ndjson: Array(items.map { "\($0.content)\n" }.joined().utf8)
          case .csv: CellDocument.encode(snapshot, separator: UInt8(ascii: ","))
          }
        return try SnapshotReader(options: SnapshotOptions(format: format)).text(bytes)
      }
      let cut = random.number(1...items.count)
      let (mine, theirs) = try (file(Array(items[..<cut])), file(Array(items.suffix(2))))
      let list = try Snapshot(items.shuffled(using: &random))
      let written = mine.replacingItems(with: list, from: theirs)
      let read = try SnapshotReader(options: SnapshotOptions(format: format)).read(written)
      #expect(read.snapshot == list, "seed \(random.seed), round \(round)")
    }
  }
}
