import ListModel

/// A JSON document with the items in an array: the document itself, or what a pointer names.
struct JSONSnapshot {
  private let bytes: [UInt8]
  private let pointer: JSONPointer
  private let limits: Limits
  private let itemReader: ItemReader

  init(_ bytes: [UInt8], _ options: SnapshotOptions, itemReader: ItemReader) {
    self.bytes = bytes
    pointer = options.items ?? JSONPointer(tokens: [])
    limits = options.limits
    self.itemReader = itemReader
  }

  /// Reads the whole document and hands out each item as it is read.
  func forEachItem(
    _ body: ItemReader.Body
  ) throws(SnapshotError) {
    var parser = JSONParser(bytes, limits: limits)
    do throws(JSONError) {
      parser.skipWhitespace()
      let isFound = try descend(&parser, pointer.tokens[...], body)
      try parser.expectEnd()
      if isFound { return }
    } catch {
      throw SnapshotError(error, in: bytes)
    }
    throw absence()
  }

  /// Reads one value; false when the path does not lead to an array in it.
  private func descend(
    _ parser: inout JSONParser, _ path: ArraySlice<String>, _ body: ItemReader.Body
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

  private func readObject(
    _ parser: inout JSONParser, _ token: String, _ rest: ArraySlice<String>,
    _ body: ItemReader.Body
  ) throws(JSONError) -> Bool {
    let closing = UInt8(ascii: "}")
    var isFound = false
    var names: Set<[UInt8]> = []
    try parser.expect(UInt8(ascii: "{"), "'{'")
    parser.skipWhitespace()
    if parser.current == closing {
      try parser.expect(closing, "'}'")
      return false
    }
    repeat {
      let offset = parser.index
      let name = try parser.memberName()
      guard names.insert(Array(name.utf8)).inserted else {
        throw JSONError(offset: offset, problem: .duplicateMember(name))
      }
      if name.utf8.elementsEqual(token.utf8) {
        isFound = try descend(&parser, rest, body)
      } else {
        _ = try parser.canonicalValue()
      }
    } while try parser.hasNext(closing: closing, "',' or '}' in an object")
    return isFound
  }

  private func readArray(
    _ parser: inout JSONParser, _ token: String, _ rest: ArraySlice<String>,
    _ body: ItemReader.Body
  ) throws(JSONError) -> Bool {
    let wanted = JSONPointer.arrayIndex(token)
    var isFound = false
    var index = 0
    try forEachElement(&parser) { parser throws(JSONError) in
      if index == wanted {
        isFound = try descend(&parser, rest, body)
      } else {
        _ = try parser.canonicalValue()
      }
      index += 1
    }
    return isFound
  }

  private func readItems(
    _ parser: inout JSONParser, _ body: ItemReader.Body
  ) throws(JSONError) -> Bool {
    guard parser.current == UInt8(ascii: "[") else {
      _ = try parser.canonicalValue()
      return false
    }
    let closing = UInt8(ascii: "]")
    guard try parser.entersArray() else { return true }
    parser.byteLimit = limits[.itemBytes]
    defer { parser.byteLimit = .max }
    try itemReader.forEachItem(&parser, body) { parser throws(JSONError) in
      try parser.hasNext(closing: closing, "',' or ']' after an item")
    }
    return true
  }

  /// Reads an array; each element by the closure, which gets the parser at its first byte.
  private func forEachElement(
    _ parser: inout JSONParser, _ read: (inout JSONParser) throws(JSONError) -> Void
  ) throws(JSONError) {
    guard try parser.entersArray() else { return }
    repeat {
      try read(&parser)
    } while try parser.hasNext(closing: UInt8(ascii: "]"), "',' or ']' after an item")
  }

  /// The error for a document without an array where it should be; the document itself is well
  /// formed.
  private func absence() -> SnapshotError {
    var parser = JSONParser(bytes)
    parser.skipWhitespace()
    // As a whole the document may lie deeper than a value may.
    guard let value = try? parser.canonicalValue() else {
      return .noArray(at: pointer, found: nil, arrays: [])
    }
    let view = ContentView(Content(canonicalBytes: value))
    var arrays: [JSONPointer] = []
    Self.collectArrays(in: view, at: JSONPointer(tokens: []), depth: 3, into: &arrays)
    return .noArray(
      at: pointer, found: view.value(at: IDRule.Path(tokens: pointer.tokens))?.kind.rawValue,
      arrays: arrays)
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
  /// Reads an opening bracket, and the closing one when there is nothing between; false then.
  mutating func entersArray() throws(JSONError) -> Bool {
    try expect(UInt8(ascii: "["), "'['")
    skipWhitespace()
    guard current == UInt8(ascii: "]") else { return true }
    try expect(UInt8(ascii: "]"), "']'")
    return false
  }

  /// Reads a member name and the colon behind it.
  mutating func memberName() throws(JSONError) -> String {
    guard current == UInt8(ascii: "\"") else { throw unexpected("a member name in quotes") }
    let name = ContentView(Content(canonicalBytes: try canonicalValue())).scalarText ?? ""
    skipWhitespace()
    try expect(UInt8(ascii: ":"), "':' after a member name")
    skipWhitespace()
    return name
  }
}
