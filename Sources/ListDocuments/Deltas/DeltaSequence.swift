import ListModel

/// The delta documents of a text, one after the other, of any kind: one document, or the lines of a
/// replay. Both formats may follow each other.
public struct DeltaSequence {
  public enum Document: Equatable, Sendable {
    case changes(DeltaDocument)
    /// The rendering ``Rendering/merge``.
    case merged(MergeDocument)
    case snapshot(SnapshotDelta)
  }

  private var values: JSONValues
  private let limits: Limits

  /// - Parameters:
  ///   - bytes: the documents, one after the other.
  ///   - limits: hold for the lists, items and ids of each document.
  public init(_ bytes: [UInt8], limits: Limits = .standard) {
    values = JSONValues(
      bytes, limits: limits,
      envelopeDepth: max(BareChanges.contentDepth, SnapshotDelta.contentDepth))
    self.limits = limits
  }

  /// The place of the last document.
  public var position: TextPosition { values.position(of: values.start) }

  /// Reads the next document; nil at the end.
  ///
  /// - Throws: `DeltaError`, as the initialisers of the documents.
  /// - Complexity: O(bytes of the document), in time and memory.
  public mutating func next() throws(DeltaError) -> Document? {
    let content: Content?
    do throws(JSONError) {
      content = try values.next()
    } catch {
      throw .json(error, at: values.position(of: error.offset))
    }
    guard let content else { return nil }
    let root = DocumentField(content, limits: limits)
    let isRendering = try root.read { root throws(DocumentField.Malformed) in
      let format = root["format"]
      let text = try format.string()
      guard text == DeltaDocument.format || text == Rendering.format else {
        throw format.malformed("\"\(DeltaDocument.format)\" or \"\(Rendering.format)\"")
      }
      return text == Rendering.format
    }
    if isRendering { return .merged(try MergeDocument(root: root)) }
    switch try CatchUpAnswer(root: root) {
    case .changes(let document): return .changes(document)
    case .snapshot(let document): return .snapshot(document)
    }
  }
}
