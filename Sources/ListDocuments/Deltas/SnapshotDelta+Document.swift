import ListChanges
import ListModel

/// As it crosses the border:
///
///     {"format":"list-delta/1","kind":"snapshot","list":"parks",
///      "from":{"cursor":"3-…",…},
///      "to":{"cursor":"7-…","version":7,"count":5,"checksum":"…"},
///      "oldest":4,"more":false,"reason":"too-old",
///      "items":[{"id":"acadia","content":{…}},…]}
///
/// `from` is absent where the store does not know the state that was named.
extension SnapshotDelta {
  static let kind = "snapshot"
  /// A content lies in the document, in the array of items, and in its item.
  static let contentDepth = 3

  /// The document as JSON text with a line end.
  public func encoded(_ layout: DeltaDocument.Layout = .lines) -> [UInt8] {
    var writer = JSONWriter()
    let breakLine = { (writer: inout JSONWriter) in if layout == .lines { writer.lineBreak() } }
    writer.object { writer in
      writer.member("format", DeltaDocument.format)
      writer.member("kind", Self.kind)
      writer.member("list", list.text)
      breakLine(&writer)
      if let from {
        writer.member("from", from)
        breakLine(&writer)
      }
      writer.member("to", to)
      breakLine(&writer)
      writer.member("oldest", oldest.number)
      writer.member("more", false)
      writer.member("reason", reason.rawValue)
      breakLine(&writer)
      writer.member(
        "items",
        array: { writer in
          for item in snapshot.items {
            breakLine(&writer)
            writer.object { writer in
              writer.member("id", item.id.text)
              writer.name("content")
              writer.content(item.content)
            }
          }
        })
    }
    return writer.bytes + "\n".utf8
  }

  /// Reads a document of kind `snapshot`; members that the format does not name are ignored.
  ///
  /// - Parameter limits: what its list, items and ids may be.
  /// - Throws: `DeltaError.json`, `.malformed` or `.limit`, with the place; `.changes` when an id stands
  ///   twice; `.wrongResult` when the items are not those that the checksum proves.
  public init(_ bytes: [UInt8], limits: Limits = .standard) throws(DeltaError) {
    try self.init(
      root: DocumentField(
        delta: bytes, limits: limits, contentDepth: Self.contentDepth, kind: Self.kind))
  }

  /// - Parameter root: of a document of this kind.
  init(root: DocumentField) throws(DeltaError) {
    let delta = try root.read { root throws(DocumentField.Malformed) in
      (
        list: try root["list"].listName(),
        from: try root["from"].optional { field throws(DocumentField.Malformed) in
          try field.state()
        },
        to: try root["to"].state(),
        oldest: Version(try root["oldest"].index()),
        reason: try root["reason"].reason(),
        items: try root["items"].map { field throws(DocumentField.Malformed) in try field.item() }
      )
    }
    let snapshot: Snapshot
    do {
      snapshot = try Snapshot(delta.items)
    } catch {
      throw .changes(error)
    }
    let found = Checksum(of: snapshot)
    guard delta.items.count == delta.to.count, found == delta.to.checksum else {
      throw .wrongResult(expected: delta.to.checksum, found: found)
    }
    self.init(
      list: delta.list, from: delta.from, to: delta.to, oldest: delta.oldest, snapshot: snapshot,
      reason: delta.reason)
  }
}

extension DocumentField {
  fileprivate func reason() throws(Malformed) -> SnapshotDelta.Reason {
    guard let reason = SnapshotDelta.Reason(rawValue: try string()) else {
      throw malformed("a reason: first, too-old, diverged or smaller")
    }
    return reason
  }
}
