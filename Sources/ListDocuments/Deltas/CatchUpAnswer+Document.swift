import ListModel

extension CatchUpAnswer<DeltaDocument> {
  /// Reads a document of either kind; members that the format does not name are ignored.
  ///
  /// - Parameter limits: what its lists, items and ids may be.
  /// - Throws: what the kind's own reader throws (`DeltaDocument`, `SnapshotDelta`).
  public init(_ bytes: [UInt8], limits: Limits = .standard) throws(DeltaError) {
    let root = try DocumentField(
      delta: bytes, limits: limits,
      contentDepth: max(BareChanges.contentDepth, SnapshotDelta.contentDepth))
    let kind = try root.read { root throws(DocumentField.Malformed) in
      let kind = try root["kind"].string()
      guard kind == DeltaDocument.kind || kind == SnapshotDelta.kind else {
        throw root["kind"].malformed(
          "\"\(DeltaDocument.kind)\" or \"\(SnapshotDelta.kind)\"")
      }
      return kind
    }
    self =
      kind == DeltaDocument.kind
      ? .changes(try DeltaDocument(root: root)) : .snapshot(try SnapshotDelta(root: root))
  }
}
