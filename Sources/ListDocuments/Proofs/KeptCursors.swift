import ListModel

/// Cursors that somebody kept outside of a store, with which the history of its lists is compared.
///
/// They are read from documents that have them: the answers of `listsync lists --json` and
/// `listsync log LIST --json`, or of a server for the same, delta documents, heads of publications,
/// and proofs of items; or a signed head, whose signatures are not checked.
public struct KeptCursors: Equatable, Sendable {
  public struct Entry: Equatable, Sendable {
    /// Nil if the document does not name the list.
    public let list: ListName?
    public let cursor: Cursor

    public init(list: ListName?, cursor: Cursor) { (self.list, self.cursor) = (list, cursor) }
  }

  /// In the order of the document.
  public private(set) var entries: [Entry] = []

  /// - Throws: `DeltaError.json`, or `.malformed` when there is no cursor in the text.
  public init(_ bytes: [UInt8], limits: Limits = .standard) throws(DeltaError) {
    if let head = SignedHead(note: String(decoding: bytes, as: UTF8.self)) {
      entries = [Entry(list: head.list, cursor: head.cursor)]
      return
    }
    var values = JSONValues(bytes, limits: limits, envelopeDepth: 4)
    do throws(JSONError) {
      while let value = try values.next() {
        for element in Self.elements(of: ContentView(value)) { add(element) }
      }
    } catch {
      throw .json(error, at: values.position(of: error.offset))
    }
    if entries.isEmpty {
      throw .malformed(at: JSONPointer(tokens: []), expected: "a document with cursors")
    }
  }

  private static func elements(of view: ContentView) -> [ContentView] {
    if view.kind == .array { return view.elements }
    if let lists = view.member("lists"), lists.kind == .array { return lists.elements }
    return [view]
  }

  private mutating func add(_ element: ContentView) {
    let list = element.text("list").flatMap { ListName($0) }
    let headers = element.member("headers").map { $0.kind == .array ? $0.elements : [] } ?? []
    let places = [element] + ["head", "to"].compactMap { element.member($0) } + headers
    for place in places {
      guard let cursor = place.text("cursor").flatMap({ Cursor(given: $0) }) else { continue }
      entries.append(Entry(list: list, cursor: cursor))
    }
  }
}

extension ContentView {
  /// The text of a member; nil if it is none.
  fileprivate func text(_ name: String) -> String? {
    guard kind == .object, let member = member(name), member.kind == .string else { return nil }
    return member.scalarText
  }
}
