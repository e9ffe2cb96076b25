import ListModel

/// A value of a document, or the lack of one, with its place for errors.
struct DocumentField {
  let view: ContentView?
  let place: JSONPointer

  init(_ view: ContentView?, at place: JSONPointer) {
    self.view = view
    self.place = place
  }

  /// The root of a delta document.
  ///
  /// - Parameter contentDepth: how deep the contents of items lie in it.
  init(_ bytes: [UInt8], contentDepth: Int, kind: String) throws(DeltaError) {
    let content: [UInt8]
    do throws(JSONError) {
      var parser = JSONParser(bytes, envelopeDepth: contentDepth)
      parser.skipWhitespace()
      content = try parser.canonicalValue()
      try parser.expectEnd()
    } catch {
      throw .json(error, at: TextPosition(offset: error.offset, in: bytes))
    }
    self.init(ContentView(Content(canonicalBytes: content)), at: JSONPointer(tokens: []))
    for (name, value) in [("format", DeltaDocument.format), ("kind", kind)] {
      guard try self[name].string() == value else { throw self[name].malformed("\"\(value)\"") }
    }
  }

  subscript(_ name: String) -> DocumentField {
    DocumentField(view?.member(name), at: place.appending(name))
  }

  func malformed(_ expected: String) -> DeltaError {
    .malformed(at: place, expected: expected)
  }

  func optional<T>(_ read: (DocumentField) throws(DeltaError) -> T) throws(DeltaError) -> T? {
    view == nil ? nil : try read(self)
  }

  func map<T>(_ read: (DocumentField) throws(DeltaError) -> T) throws(DeltaError) -> [T] {
    guard let view, view.kind == .array else { throw malformed("an array") }
    var result: [T] = []
    for (index, element) in view.elements.enumerated() {
      result.append(try read(DocumentField(element, at: place.appending(String(index)))))
    }
    return result
  }

  func string() throws(DeltaError) -> String {
    guard let view, view.kind == .string, let text = view.scalarText else {
      throw malformed("a string")
    }
    return text
  }

  func boolean() throws(DeltaError) -> Bool {
    switch view?.kind == .boolean ? view?.content.description : nil {
    case "true": return true
    case "false": return false
    default: throw malformed("true or false")
    }
  }

  /// A whole number from 0.
  func index() throws(DeltaError) -> Int {
    guard let view, view.kind == .number, let number = view.scalarText.flatMap({ Int($0) }),
      number >= 0
    else { throw malformed("a whole number from 0") }
    return number
  }

  func id() throws(DeltaError) -> ItemID {
    let text = try string()
    guard !text.isEmpty else { throw malformed("an id that is not empty") }
    return ItemID(text)
  }

  func item() throws(DeltaError) -> Item {
    guard let content = self["content"].view?.content else {
      throw self["content"].malformed("a JSON value")
    }
    return Item(id: try self["id"].id(), content: content)
  }

  /// The four arrays of a change set.
  func changes(oldCount: Int, newCount: Int) throws(DeltaError) -> BareChanges {
    BareChanges(
      oldCount: oldCount, newCount: newCount,
      removed: try self["removed"].map { field throws(DeltaError) in
        .init(id: try field["id"].id(), from: try field["from"].index())
      },
      moved: try self["moved"].map { field throws(DeltaError) in
        .init(
          id: try field["id"].id(), from: try field["from"].index(), to: try field["to"].index())
      },
      inserted: try self["inserted"].map { field throws(DeltaError) in
        .init(item: try field.item(), to: try field["to"].index())
      },
      updated: try self["updated"].map { field throws(DeltaError) in
        .init(item: try field.item(), from: try field["from"].index(), to: try field["to"].index())
      })
  }

  func listName() throws(DeltaError) -> ListName {
    guard let name = ListName(try string()) else { throw malformed(ListName.rule) }
    return name
  }

  func state() throws(DeltaError) -> ListState {
    guard let checksum = Checksum(try self["checksum"].string()) else {
      throw self["checksum"].malformed("32 hex digits")
    }
    let cursor = try self["cursor"].optional { field throws(DeltaError) in
      guard let cursor = Cursor(try field.string()) else {
        throw field.malformed("a cursor such as 7-3f9a1c2b7d40")
      }
      return cursor
    }
    return ListState(cursor: cursor, count: try self["count"].index(), checksum: checksum)
  }
}
