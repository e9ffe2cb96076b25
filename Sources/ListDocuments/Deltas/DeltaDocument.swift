import ListModel

/// A delta as a document. Removed items have only their ids, and updates only the new content; the
/// list that the document is applied to has the rest.
///
///     {"format":"list-delta/1","kind":"changes","list":"parks",
///      "from":{"cursor":"3-…","version":3,"count":5,"root":"…"},
///      "to":{"cursor":"7-…","version":7,"committed_at":"…","author":null,"message":"…",
///            "count":5,"root":"…","previous":"…"},
///      "oldest":1,"more":false,
///      "removed":[{"id":"acadia","from":2}],
///      "moved":[{"id":"denali","from":4,"to":0}],
///      "inserted":[{"id":"glacier","to":3,"content":{…}}],
///      "updated":[{"id":"yosemite","from":0,"to":1,"content":{…}}]}
///
/// `to` has the header of its version (``/ListModel/VersionHeader``), which proves that the root
/// belongs to the cursor; `previous` is the chain of the version before. Version 0 has no header.
/// `note` is the signed note of `to` (``SignedHead``), where a server signs.
/// Where two files were compared, `list`, `oldest`, both cursors and versions and the header are
/// absent.
public typealias DeltaDocument = ListDelta<BareChanges>

extension DeltaDocument {
  public static var format: String { "list-delta/1" }
  static var kind: String { "changes" }

  public enum Layout: Sendable {
    /// One line in all, for NDJSON.
    case line
    /// A line for each change.
    case lines
  }

  /// The document as JSON text with a line end.
  public func encoded(_ layout: Layout = .lines) -> [UInt8] {
    .document(layout, kind: Self.kind) { writer, breakLine in
      if let list { writer.member("list", list.text) }
      breakLine(&writer)
      writer.member("from", from)
      breakLine(&writer)
      writer.object("to") { $0.members(proving: to) }
      breakLine(&writer)
      if let note { writer.member("note", note) }
      if let oldest { writer.member("oldest", oldest.number) }
      writer.member("more", more)
      breakLine(&writer)
      writer.members(of: changes, breakLine)
    }
  }

  /// Reads a document of kind `changes`; unknown members are ignored. The limits hold for its
  /// lists, items and ids.
  ///
  /// - Throws: `DeltaError.json`, `.malformed` or `.limit`, with the place.
  public init(_ bytes: [UInt8], limits: Limits = .standard) throws(DeltaError) {
    try self.init(
      root: DocumentField(
        delta: bytes, limits: limits, contentDepth: BareChanges.contentDepth, kind: Self.kind))
  }

  /// - Parameter root: the root of a document of this kind.
  init(root: DocumentField) throws(DeltaError) {
    self = try root.read { root throws(DocumentField.Malformed) in
      let (from, to) = (try root["from"].state(), try root["to"].endState())
      var document = Self(
        list: try root["list"].ifPresent?.listName(), from: from, to: to,
        oldest: try root["oldest"].ifPresent.map { field throws(DocumentField.Malformed) in
          Version(try field.index())
        },
        changes: try root.changes(oldCount: from.count, newCount: to.count),
        more: try root["more"].ifPresent?.boolean() ?? false)
      document.note = try root["note"].ifNotNull?.string()
      return document
    }
  }
}

extension [UInt8] {
  /// A delta document of any kind.
  ///
  /// - Parameter members: writes the members after `kind`; the second argument ends a line, if the
  ///   layout has lines.
  static func document(
    _ layout: DeltaDocument.Layout, kind: String,
    _ members: (inout JSONWriter, (inout JSONWriter) -> Void) -> Void
  ) -> [UInt8] {
    JSONWriter.object { writer in
      writer.member("format", DeltaDocument.format)
      writer.member("kind", kind)
      members(&writer) { if layout == .lines { $0.lineBreak() } }
    } + "\n".utf8
  }
}
