import ListModel

@testable import ListDocuments

/// The delta that explains the format: all four kinds of changes, among five parks.
///
///     old   yosemite  zion  acadia  arches  denali
///     new   denali  yosemite'  zion  glacier  arches
enum Parks {
  static func old() throws -> Snapshot {
    try Snapshot(["yosemite", "zion", "acadia", "arches", "denali"].map { try park($0) })
  }

  static func new() throws -> Snapshot {
    try Snapshot([
      park("denali"), park("yosemite", #"{"name":"Yosemite","rating":5}"#), park("zion"),
      park("glacier", #"{"name":"Glacier","state":"MT"}"#), park("arches"),
    ])
  }

  static func park(_ id: String, _ json: String? = nil) throws -> Item {
    Item(id: ItemID(id), content: try Content(json: json ?? #"{"name":"\#(id)"}"#))
  }

  /// The delta between the two as files without versions.
  static func document() throws -> DeltaDocument {
    let (old, new) = try (old(), new())
    return DeltaDocument(
      Delta(
        list: nil, from: ListState(of: old), to: ListState(of: new), oldest: nil,
        changes: old.changes(to: new)))
  }

  /// The delta between the two as versions 3 and 7 of a list, with roots that are easy to
  /// recognise.
  static func storedDocument() throws -> DeltaDocument {
    let (old, new) = try (old(), new())
    return DeltaDocument(
      Delta(
        list: ListName("parks"),
        from: ListState(
          cursor: Cursor("3-b71c0000000000000000000000000000"), count: 5,
          root: try root(String(repeating: "a1", count: 32))),
        to: ListState(try header(), count: 5),
        oldest: Version(1), changes: old.changes(to: new)))
  }

  private static func header() throws -> VersionHeader {
    VersionHeader(
      version: Version(7),
      note: CommitNote(
        time: Timestamp(millisecondsSince1970: 1_795_261_020_250), author: "Ann"),
      root: try root(String(repeating: "00112233445566778899aabbccddeeff", count: 2)),
      previous: Chain(String(repeating: "c4", count: 32)) ?? .zero)
  }

  private static func root(_ text: String) throws -> Root {
    struct NoRoot: Error {}
    guard let root = Root(text) else { throw NoRoot() }
    return root
  }
}
