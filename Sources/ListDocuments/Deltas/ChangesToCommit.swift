import ListModel

/// A delta document that is to be committed.
///
/// Its author may leave out the root that it leads to, or the whole member `to`.
public struct ChangesToCommit: Equatable, Sendable {
  public let changes: BareChanges
  public let from: ListState
  /// Nil if the document does not have the root.
  public let to: ListState?

  public init(changes: BareChanges, from: ListState, to: ListState?) {
    (self.changes, self.from, self.to) = (changes, from, to)
  }
}

extension ChangesToCommit {
  /// The document as JSON text, which the same value always has.
  public func encoded() -> [UInt8] {
    .document(.line, kind: DeltaDocument.kind) { writer, _ in
      writer.member("from", from)
      if let to { writer.member("to", to) }
      writer.members(of: changes)
    }
  }

  /// Reads a document of kind `changes`; unknown members are ignored. The limits hold for its
  /// lists, items and ids.
  ///
  /// - Throws: `DeltaError.json`, `.malformed` or `.limit`, with the place.
  public init(_ bytes: [UInt8], limits: Limits = .standard) throws(DeltaError) {
    let root = try DocumentField(
      delta: bytes, limits: limits, contentDepth: BareChanges.contentDepth,
      kind: DeltaDocument.kind)
    self = try root.read { root throws(DocumentField.Malformed) in
      let (from, end) = (try root["from"].state(), root["to"])
      let to = end["root"].ifPresent == nil ? nil : try end.statedEnd()
      let count = end["count"].ifPresent == nil ? nil : try end["count"].itemCount()
      return Self(
        changes: try root.changes(oldCount: from.count, newCount: count), from: from, to: to)
    }
  }
}

extension DocumentField {
  /// The end that an author states, who may know its header.
  fileprivate func statedEnd() throws(Malformed) -> ListState {
    self["previous"].ifPresent == nil ? try state() : try provenState()
  }
}
