import ListModel

/// The head of a publication whose list was dropped or renamed. It stands in the place of the
/// ``PublicationHead``.
///
///     {"format":"list-publication/1","list":"forests","gone":{"at":"…","new_name":"parks"}}
public struct PublicationEnd: Equatable, Sendable {
  public let list: ListName
  /// When the list left its name.
  public let leftAt: Timestamp
  /// The present name of a renamed list; nil for a dropped one.
  public let newName: ListName?

  public init(list: ListName, leftAt: Timestamp, newName: ListName?) {
    (self.list, self.leftAt, self.newName) = (list, leftAt, newName)
  }

  /// The document as JSON text with a line end.
  public func encoded() -> [UInt8] {
    JSONWriter.object { writer in
      writer.member("format", PublicationHead.format)
      writer.member("list", list.text)
      writer.object("gone") { writer in
        writer.member("at", leftAt.description)
        writer.member("new_name", newName?.text)
      }
    } + "\n".utf8
  }

  /// Reads a document; unknown members are ignored. Nil for the head of a list that is there.
  ///
  /// - Throws: `DeltaError.json`, `.malformed` or `.limit`, with the place.
  public init?(_ bytes: [UInt8], limits: Limits = .standard) throws(DeltaError) {
    let root = try DocumentField(
      delta: bytes, format: PublicationHead.format, limits: limits, contentDepth: 0)
    let end = try root.read { root throws(DocumentField.Malformed) -> PublicationEnd? in
      guard let gone = root["gone"].ifNotNull else { return nil }
      return PublicationEnd(
        list: try root["list"].listName(), leftAt: try gone["at"].moment(),
        newName: try gone["new_name"].ifNotNull?.listName())
    }
    guard let end else { return nil }
    self = end
  }
}
