import ListModel

/// Which lists of a server have changed since a mark: the answer to `GET /v1/changes`.
///
///     {"mark":"9d3fa1c27b40e5185c1f0a9e3b7d2648","all":false,"more":false,
///      "lists":[{"list":"parks","head":{"cursor":"7-…",…},…}],"gone":["forests"]}
public struct ChangedLists: Equatable, Sendable {
  /// The mark to ask with next: letters, digits, `-`, `.` and `_`.
  public let mark: String
  /// Whether the server does not know the mark that it was asked with, and begins with all lists.
  public let isAll: Bool
  /// Whether more changes follow.
  public let hasMore: Bool
  /// The cursors of the lists that have changed.
  public let heads: [ListName: Cursor]
  /// The names whose lists were dropped or renamed.
  public let gone: Set<ListName>

  /// Reads a document; unknown members are ignored.
  ///
  /// - Throws: `DeltaError.json` or `.malformed`, with the place.
  public init(_ bytes: [UInt8], limits: Limits = .standard) throws(DeltaError) {
    let content: Content
    do throws(JSONError) {
      content = try Content(json: bytes, limits: limits, envelopeDepth: 4)
    } catch {
      throw .json(error, at: TextPosition(offset: error.offset, in: bytes))
    }
    self = try DocumentField(content, limits: limits).read { root throws(DocumentField.Malformed) in
      var heads: [ListName: Cursor] = [:]
      let lists = try root["lists"].map { field throws(DocumentField.Malformed) in
        (name: try field["list"].listName(), cursor: try field["head"]["cursor"].cursor())
      }
      for list in lists { heads[list.name] = list.cursor }
      return ChangedLists(
        mark: try root["mark"].mark(), isAll: try root["all"].boolean(),
        hasMore: try root["more"].boolean(), heads: heads,
        gone: Set(
          try root["gone"].map { field throws(DocumentField.Malformed) in
            try field.listName()
          }))
    }
  }

  private init(
    mark: String, isAll: Bool, hasMore: Bool, heads: [ListName: Cursor], gone: Set<ListName>
  ) {
    (self.mark, self.isAll, self.hasMore) = (mark, isAll, hasMore)
    (self.heads, self.gone) = (heads, gone)
  }
}

extension DocumentField {
  /// A text that needs no encoding in an address.
  fileprivate func mark() throws(Malformed) -> String {
    try value("1 to 100 letters, digits, '-', '.' and '_'") { text in
      let isPlain = text.utf8.allSatisfy { byte in
        UnicodeScalar(byte).properties.isASCIIHexDigit || "-._".utf8.contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      }
      return isPlain && (1...100).contains(text.utf8.count) ? text : nil
    }
  }
}
