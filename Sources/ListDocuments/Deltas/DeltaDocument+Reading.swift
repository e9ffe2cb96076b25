import ListModel

extension DeltaDocument {
  /// Reads a document of kind `changes`; members that the format does not name are ignored.
  ///
  /// - Parameter limits: what its lists, items and ids may be.
  /// - Throws: `DeltaError.json`, `.malformed` or `.limit`, with the place.
  public init(_ bytes: [UInt8], limits: Limits = .standard) throws(DeltaError) {
    try self.init(
      root: DocumentField(
        delta: bytes, limits: limits, contentDepth: BareChanges.contentDepth, kind: Self.kind))
  }

  /// - Parameter root: of a document of this kind.
  init(root: DocumentField) throws(DeltaError) {
    self = try root.read { root throws(DocumentField.Malformed) in try Self(root) }
  }

  private init(_ root: DocumentField) throws(DocumentField.Malformed) {
    let (from, to) = (try root["from"].state(), try root["to"].state())
    self.init(
      list: try root["list"].optional { field throws(DocumentField.Malformed) in
        try field.listName()
      },
      from: from, to: to,
      oldest: try root["oldest"].optional { field throws(DocumentField.Malformed) in
        Version(try field.index())
      },
      more: try root["more"].optional { field throws(DocumentField.Malformed) in
        try field.boolean()
      } ?? false,
      changes: try root.changes(oldCount: from.count, newCount: to.count))
  }
}
