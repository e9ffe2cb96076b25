import ListModel

/// A JSON document with the items in an array: the document itself, or the value at a pointer.
struct JSONSnapshot {
  private let reader: ItemReader
  private let pointer: JSONPointer

  init(_ reader: ItemReader) {
    self.reader = reader
    pointer = reader.options.items ?? JSONPointer(tokens: [])
  }

  /// Moves from an item of the array to the next.
  static let advance: ItemReader.Advance = { parser throws(JSONError) in
    try parser.hasNext(closing: UInt8(ascii: "]"), "',' or ']' after an item")
  }

  /// Reads the whole document and passes on each item as it is read.
  func forEachItem<Element: FileElement>(_ body: ItemReader.Body<Element>) throws(SnapshotError) {
    var parser = JSONParser(reader.bytes, limits: reader.options.limits)
    do throws(JSONError) {
      parser.skipWhitespace()
      let isFound = try descend(&parser, pointer.tokens[...], body)
      try parser.expectEnd()
      if isFound { return }
    } catch {
      throw SnapshotError(error, in: reader.bytes)
    }
    throw absence()
  }

  /// Reads one value; false when the path does not lead to an array in it.
  private func descend<Element: FileElement>(
    _ parser: inout JSONParser, _ path: ArraySlice<String>, _ body: ItemReader.Body<Element>
  ) throws(JSONError) -> Bool {
    guard let token = path.first else { return try readItems(&parser, body) }
    switch parser.current {
    case UInt8(ascii: "{"): return try readObject(&parser, token, path.dropFirst(), body)
    case UInt8(ascii: "["): return try readArray(&parser, token, path.dropFirst(), body)
    default:
      _ = try parser.canonicalValue()
      return false
    }
  }

  private func readObject<Element: FileElement>(
    _ parser: inout JSONParser, _ token: String, _ rest: ArraySlice<String>,
    _ body: ItemReader.Body<Element>
  ) throws(JSONError) -> Bool {
    var isFound = false
    var names: Set<[UInt8]> = []
    guard try parser.enters("{", "}") else { return false }
    repeat {
      let offset = parser.index
      let name = try parser.memberName()
      guard names.insert(Array(name.utf8)).inserted else {
        throw JSONError(offset: offset, reason: .duplicateMember(name))
      }
      if name.utf8.elementsEqual(token.utf8) {
        isFound = try descend(&parser, rest, body)
      } else {
        _ = try parser.canonicalValue()
      }
    } while try parser.hasNext(closing: UInt8(ascii: "}"), "',' or '}' in an object")
    return isFound
  }

  private func readArray<Element: FileElement>(
    _ parser: inout JSONParser, _ token: String, _ rest: ArraySlice<String>,
    _ body: ItemReader.Body<Element>
  ) throws(JSONError) -> Bool {
    let wanted = JSONPointer.arrayIndex(token)
    var isFound = false
    var index = 0
    guard try parser.enters("[", "]") else { return false }
    repeat {
      if index == wanted {
        isFound = try descend(&parser, rest, body)
      } else {
        _ = try parser.canonicalValue()
      }
      index += 1
    } while try parser.hasNext(closing: UInt8(ascii: "]"), "',' or ']' after an item")
    return isFound
  }

  private func readItems<Element: FileElement>(
    _ parser: inout JSONParser, _ body: ItemReader.Body<Element>
  ) throws(JSONError) -> Bool {
    guard parser.current == UInt8(ascii: "[") else {
      _ = try parser.canonicalValue()
      return false
    }
    guard try parser.enters("[", "]") else { return true }
    defer { parser.byteLimit = .max }
    try reader.forEachItem(&parser, body, advance: Self.advance)
    return true
  }

  /// The error for a well-formed document without an array at the pointer.
  private func absence() -> SnapshotError {
    // The whole document can be deeper than a single value may be.
    guard let value = try? Content(json: reader.bytes) else {
      return .noArray(at: pointer, found: nil, arrays: [])
    }
    let view = ContentView(value)
    var arrays: [JSONPointer] = []
    Self.collectArrays(in: view, at: JSONPointer(tokens: []), depth: 3, into: &arrays)
    return .noArray(at: pointer, found: view.value(at: pointer)?.kind.rawValue, arrays: arrays)
  }

  private static func collectArrays(
    in view: ContentView, at place: JSONPointer, depth: Int, into arrays: inout [JSONPointer]
  ) {
    if view.kind == .array { arrays.append(place) }
    guard view.kind == .object, depth > 0 else { return }
    for (name, value) in view.members {
      collectArrays(in: value, at: place.appending(name), depth: depth - 1, into: &arrays)
    }
  }
}

extension JSONParser {
  /// Reads an opening bracket or brace; if it is empty, also the closing one, and returns false.
  mutating func enters(
    _ opening: Unicode.Scalar, _ closing: Unicode.Scalar
  ) throws(JSONError) -> Bool {
    try expect(UInt8(ascii: opening), "'\(opening)'")
    skipWhitespace()
    guard current == UInt8(ascii: closing) else { return true }
    try expect(UInt8(ascii: closing), "'\(closing)'")
    return false
  }

  /// Reads a member name and the colon after it.
  mutating func memberName() throws(JSONError) -> String {
    guard current == UInt8(ascii: "\"") else { throw unexpected("a member name in quotes") }
    let name = ContentView(Content(canonicalBytes: try canonicalValue())).scalarText ?? ""
    skipWhitespace()
    try expect(UInt8(ascii: ":"), "':' after a member name")
    skipWhitespace()
    return name
  }
}

extension ItemReader {
  /// Moves from an item to that of the next line.
  var advanceToLine: Advance {
    { [bytes] parser throws(JSONError) in
      let end = parser.index
      parser.skipWhitespace()
      guard parser.current != nil else { return false }
      guard bytes[end..<parser.index].contains(UInt8(ascii: "\n")) else {
        throw parser.unexpected("a line end between two items")
      }
      return true
    }
  }

  /// Reads NDJSON: JSON values, each on its own line.
  func forEachLine<Element: FileElement>(_ body: Body<Element>) throws(SnapshotError) {
    var parser = JSONParser(bytes, limits: options.limits)
    parser.skipWhitespace()
    guard parser.current != nil else { return }
    do throws(JSONError) {
      try forEachItem(&parser, body, advance: advanceToLine)
    } catch {
      throw SnapshotError(error, in: bytes)
    }
  }
}
