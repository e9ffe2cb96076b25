import ListChanges
import ListModel

/// As a document:
///
///     {"format":"list-delta/1","kind":"snapshot","list":"parks",
///      "from":{"cursor":"3-…",…},
///      "to":{"cursor":"7-…","version":7,"committed_at":"…","author":null,"message":"…",
///            "count":5,"root":"…","previous":"…"},
///      "oldest":4,"more":false,"reason":"too-old",
///      "items":[{"id":"acadia","content":{…}},…]}
///
/// `from` is absent where the store does not know that state. `note` is the signed note of `to`,
/// where a server signs.
extension SnapshotDelta {
  static let kind = "snapshot"
  /// The nesting depth of a content: the document, the array of items, the item.
  static let contentDepth = 3

  /// The document as JSON text with a line end.
  public func encoded(_ layout: DeltaDocument.Layout = .lines) -> [UInt8] {
    .document(layout, kind: Self.kind) { writer, breakLine in
      writer.member("list", list.text)
      breakLine(&writer)
      if let from {
        writer.member("from", from)
        breakLine(&writer)
      }
      writer.object("to") { $0.members(proving: to) }
      breakLine(&writer)
      if let note { writer.member("note", note) }
      writer.member("oldest", oldest.number)
      writer.member("more", more)
      writer.member("reason", reason.rawValue)
      breakLine(&writer)
      writer.array("items") { writer in
        for item in snapshot.items {
          breakLine(&writer)
          writer.change(of: item.id, content: item.content)
        }
      }
    }
  }

  /// Reads a document of kind `snapshot`; unknown members are ignored. The limits hold for its
  /// list, items and ids.
  ///
  /// - Throws: `DeltaError.json`, `.malformed` or `.limit`, with the place; `.changes` when an id
  ///   occurs twice; `.wrongResult` when the items do not have the root.
  public init(_ bytes: [UInt8], limits: Limits = .standard) throws(DeltaError) {
    try self.init(
      root: DocumentField(
        delta: bytes, limits: limits, contentDepth: Self.contentDepth, kind: Self.kind))
  }

  /// - Parameter root: the root of a document of this kind.
  init(root: DocumentField) throws(DeltaError) {
    self = try root.read { root throws(DocumentField.Malformed) in
      var document = SnapshotDelta(
        list: try root["list"].listName(), from: try root["from"].ifPresent?.state(),
        to: try root["to"].endState(), oldest: Version(try root["oldest"].index()),
        snapshot: Snapshot(
          uniqueItems: try root["items"].map { field throws(DocumentField.Malformed) in
            try field.item()
          }
        ).withTree(),
        reason: try root["reason"].reason(),
        more: try root["more"].ifPresent?.boolean() ?? false)
      document.note = try root["note"].ifNotNull?.string()
      return document
    }
    do {
      _ = try Snapshot(snapshot.items)
    } catch {
      throw .changes(error)
    }
    let found = Root(of: snapshot)
    guard snapshot.items.count == to.count, found == to.root else {
      throw .wrongResult(expected: to.root, found: found)
    }
  }
}

extension DocumentField {
  fileprivate func reason() throws(Malformed) -> WholeListReason {
    try value("a reason: first, too-old, diverged or smaller") { .init(rawValue: $0) }
  }
}
