import ListModel

extension DeltaDocument {
  /// Reads a document of kind `changes`; members that the format does not name are ignored.
  ///
  /// - Throws: `DeltaError.json` or `.malformed`, with the place.
  public init(_ bytes: [UInt8]) throws(DeltaError) {
    let root = try DocumentField(bytes, contentDepth: Self.contentDepth, kind: Self.kind)
    let (from, to) = (try root["from"].state(), try root["to"].state())
    self.init(
      list: try root["list"].optional { field throws(DeltaError) in try field.listName() },
      from: from, to: to,
      oldest: try root["oldest"].optional { field throws(DeltaError) in
        Version(try field.index())
      },
      more: try root["more"].optional { field throws(DeltaError) in try field.boolean() } ?? false,
      changes: try root.changes(oldCount: from.count, newCount: to.count))
  }
}
