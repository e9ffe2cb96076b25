import ListModel

extension DeltaDocument {
  /// Reads a document of kind `changes`; members that the format does not name are ignored.
  ///
  /// - Throws: `DeltaError.json` or `.malformed`, with the place.
  public init(_ bytes: [UInt8]) throws(DeltaError) {
    let content: [UInt8]
    do throws(JSONError) {
      var parser = JSONParser(bytes, envelopeDepth: Self.contentDepth)
      parser.skipWhitespace()
      content = try parser.canonicalValue()
      try parser.expectEnd()
    } catch {
      throw .json(error, at: TextPosition(offset: error.offset, in: bytes))
    }
    let root = Field(ContentView(Content(canonicalBytes: content)), at: JSONPointer(tokens: []))
    guard try root["format"].string() == Self.format else {
      throw .malformed(at: root["format"].place, expected: "\"\(Self.format)\"")
    }
    guard try root["kind"].string() == "changes" else {
      throw .malformed(at: root["kind"].place, expected: "\"changes\"")
    }
    let (from, to) = (try root["from"].state(), try root["to"].state())
    self.init(
      list: try root["list"].optional { field throws(DeltaError) in try field.listName() },
      from: from, to: to,
      oldest: try root["oldest"].optional { field throws(DeltaError) in
        Version(try field.index())
      },
      changes: try root.changes(oldCount: from.count, newCount: to.count))
  }
}

/// A value of the document, or the lack of one, with its place for errors.
private struct Field {
  let view: ContentView?
  let place: JSONPointer

  init(_ view: ContentView?, at place: JSONPointer) {
    self.view = view
    self.place = place
  }

  subscript(_ name: String) -> Field { Field(view?.member(name), at: place.appending(name)) }

  private func malformed(_ expected: String) -> DeltaError {
    .malformed(at: place, expected: expected)
  }

  func optional<T>(_ read: (Field) throws(DeltaError) -> T) throws(DeltaError) -> T? {
    view == nil ? nil : try read(self)
  }

  func map<T>(_ read: (Field) throws(DeltaError) -> T) throws(DeltaError) -> [T] {
    guard let view, view.kind == .array else { throw malformed("an array") }
    var result: [T] = []
    for (index, element) in view.elements.enumerated() {
      result.append(try read(Field(element, at: place.appending(String(index)))))
    }
    return result
  }

  func string() throws(DeltaError) -> String {
    guard let view, view.kind == .string, let text = view.scalarText else {
      throw malformed("a string")
    }
    return text
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
