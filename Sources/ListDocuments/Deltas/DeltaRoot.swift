import ListModel

extension CatchUpAnswer<DeltaDocument> {
  /// Reads a document of either kind; unknown members are ignored. The limits hold for its lists,
  /// items and ids.
  ///
  /// - Throws: As the initialisers of `DeltaDocument` and `SnapshotDelta`.
  public init(_ bytes: [UInt8], limits: Limits = .standard) throws(DeltaError) {
    try self.init(
      root: DocumentField(
        delta: bytes, limits: limits,
        contentDepth: max(BareChanges.contentDepth, SnapshotDelta.contentDepth)))
  }

  /// - Parameter root: the root of a delta document.
  init(root: DocumentField) throws(DeltaError) {
    let isSnapshot = try root.read { root throws(DocumentField.Malformed) in
      let kind = try root["kind"].string()
      guard kind == DeltaDocument.kind || kind == SnapshotDelta.kind else {
        throw root["kind"].malformed("\"\(DeltaDocument.kind)\" or \"\(SnapshotDelta.kind)\"")
      }
      return kind == SnapshotDelta.kind
    }
    self =
      isSnapshot
      ? .snapshot(try SnapshotDelta(root: root)) : .changes(try DeltaDocument(root: root))
  }
}

extension DocumentField {
  /// The root of a delta document.
  ///
  /// - Parameters:
  ///   - contentDepth: the nesting depth of the items' contents in it.
  ///   - kind: the required kind; nil for any.
  init(
    delta bytes: [UInt8], format: String = DeltaDocument.format, limits: Limits, contentDepth: Int,
    kind: String? = nil
  ) throws(DeltaError) {
    let content: Content
    do throws(JSONError) {
      content = try Content(json: bytes, limits: limits, envelopeDepth: contentDepth)
    } catch {
      throw .json(error, at: TextPosition(offset: error.offset, in: bytes))
    }
    self.init(content, limits: limits)
    try expect(format: format, kind: kind)
  }

  /// Requires a delta document of this format and kind; nil for any kind.
  func expect(format: String = DeltaDocument.format, kind: String?) throws(DeltaError) {
    try read { root throws(Malformed) in
      try root["format"].expect(format)
      if let kind { try root["kind"].expect(kind) }
    }
  }

  /// Reads values, and converts their errors.
  func read<Value>(
    _ body: (DocumentField) throws(Malformed) -> Value
  ) throws(DeltaError) -> Value {
    do throws(Malformed) {
      return try body(self)
    } catch {
      if let exceeded = error.exceeded { throw .limit(exceeded, at: error.place) }
      throw .malformed(at: error.place, expected: error.expected)
    }
  }
}
