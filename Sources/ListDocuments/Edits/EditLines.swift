import ListModel

/// Edits as NDJSON: one object a line, in the order in which they are done.
///
///     {"put":{"id":"glacier","name":"Glacier"},"after":"zion"}
///     {"put":{"name":"Denali"},"id":"denali"}
///     {"remove":"acadia"}
///     {"move":"arches","to":0}
///
/// A place is `"before":ID`, `"after":ID`, `"to":INDEX`, `"first":true` or `"last":true`. A moved
/// item needs one. An item that is put without one stays where it is, or is appended if it is new.
/// Unknown members are refused: a misspelled place would put the item elsewhere.
public struct EditLines: Sendable {
  /// In the order of the text.
  public let edits: [Edit]
  private let bytes: [UInt8]
  /// Where each edit begins.
  private let offsets: [Int]

  private static let places = ["before", "after", "to", "first", "last"]
  private static let expectedPlace = "\"before\", \"after\", \"to\", \"first\" or \"last\""

  /// Reads a whole text; one without values has no edits.
  ///
  /// - Parameters:
  ///   - bytes: the text.
  ///   - idRule: finds the id of an item that is put, unless the line has an `id`.
  ///   - limits: hold for the items and ids.
  /// - Throws: `EditError`, with the position.
  /// - Complexity: O(bytes).
  public init(
    _ bytes: [UInt8], idRule: IDRule, limits: Limits = .standard
  ) throws(EditError) {
    var values = JSONValues(bytes, limits: limits, envelopeDepth: 1)
    var (edits, offsets): ([Edit], [Int]) = ([], [])
    while let line = try Self.next(&values) {
      do throws(DocumentField.Malformed) {
        edits.append(try Self.edit(DocumentField(line, limits: limits), idRule))
        offsets.append(values.start)
      } catch {
        let position = values.position(of: values.start)
        if let exceeded = error.exceeded { throw .limit(exceeded, at: position) }
        throw .malformed(error.place, expected: error.expected, at: position)
      }
    }
    (self.bytes, self.edits, self.offsets) = (bytes, edits, offsets)
  }

  /// The place of an edit in the text.
  ///
  /// - Complexity: O(bytes).
  public func position(of index: Int) -> TextPosition {
    TextPosition(offset: offsets[index], in: bytes)
  }

  private static func next(_ values: inout JSONValues) throws(EditError) -> Content? {
    do throws(JSONError) {
      return try values.next()
    } catch {
      throw .json(error, at: values.position(of: error.offset))
    }
  }

  private static func edit(
    _ line: DocumentField, _ idRule: IDRule
  ) throws(DocumentField.Malformed) -> Edit {
    let names = line.view?.members.map(\.name) ?? []
    guard names.count(where: ["put", "remove", "move"].contains) == 1 else {
      throw line.malformed("an edit: an object with one of \"put\", \"remove\" and \"move\"")
    }
    if let removed = line["remove"].ifPresent {
      try line.expectMembers(["remove"], of: "a removal")
      return .remove(try removed.id())
    }
    let place = try place(line)
    if let moved = line["move"].ifPresent {
      try line.expectMembers(["move"] + places, of: "a move")
      guard let place else { throw line.malformed("a move with a place: \(expectedPlace)") }
      return .move(try moved.id(), place)
    }
    try line.expectMembers(["put", "id"] + places, of: "a put")
    return .put(try item(line, idRule), place)
  }

  private static func item(
    _ line: DocumentField, _ idRule: IDRule
  ) throws(DocumentField.Malformed) -> Item {
    let content = try line["put"].content()
    let given = try line["id"].ifPresent?.id()
    let found = try? idRule.id(of: content)
    let rule = idRule.specifications.joined(separator: ", ")
    guard let id = given ?? found else {
      throw line["put"].malformed("an item with an id in \(rule): add it there, or as \"id\"")
    }
    guard id == found ?? id else {
      throw line["id"].malformed("the id that the item has in \(rule)")
    }
    try line["put"].check(id.text.utf8.count, .idBytes)
    return Item(id: id, content: content)
  }

  private static func place(
    _ line: DocumentField
  ) throws(DocumentField.Malformed) -> Edit.Place? {
    let given = places.filter { line[$0].ifPresent != nil }
    guard given.count <= 1 else {
      throw line.malformed("an edit with one place: \(expectedPlace)")
    }
    guard let name = given.first else { return nil }
    let field = line[name]
    switch name {
    case "before": return .before(try field.id())
    case "after": return .after(try field.id())
    case "to": return .at(try field.index())
    default:
      guard try field.boolean() else { throw field.malformed("true") }
      return name == "first" ? .first : .last
    }
  }
}

extension DocumentField {
  /// Requires that an object has no other members.
  fileprivate func expectMembers(_ known: [String], of kind: String) throws(Malformed) {
    for (name, _) in view?.members ?? [] where !known.contains(name) {
      let names = known.map { "\"\($0)\"" }.joined(separator: ", ")
      throw self[name].malformed("a member of \(kind), which can have \(names)")
    }
  }
}
