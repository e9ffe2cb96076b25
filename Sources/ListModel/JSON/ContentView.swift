/// A value inside a content, whose bytes must be canonical.
public struct ContentView: Sendable {
  private let bytes: [UInt8]
  private let range: Range<Int>

  private init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    self.range = range
  }

  public init(_ content: Content) { self.init(content.bytes, content.bytes.indices) }

  public enum Kind: String, Sendable {
    case object, array, string, number, boolean, null
  }

  public var kind: Kind {
    switch bytes[range.lowerBound] {
    case UInt8(ascii: "{"): .object
    case UInt8(ascii: "["): .array
    case UInt8(ascii: "\""): .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
    case UInt8(ascii: "n"): .null
    default: .number
    }
  }

  /// The value as a separate content.
  public var content: Content { Content(canonicalBytes: Array(bytes[range])) }

  /// The text of a string, or the digits of a number; nil for any other kind.
  public var scalarText: String? {
    switch kind {
    case .string: text(range.lowerBound + 1..<range.upperBound - 1)
    case .number: String(decoding: bytes[range], as: UTF8.self)
    default: nil
    }
  }

  /// The text of a string, given the range between its quotes.
  private func text(_ range: Range<Int>) -> String {
    let hasEscape = bytes.withUnsafeBufferPointer { $0[range].contains(UInt8(ascii: "\\")) }
    if hasEscape { return String(decoding: CanonicalString.decode(bytes[range]), as: UTF8.self) }
    return bytes.withUnsafeBufferPointer { String(decoding: $0[range], as: UTF8.self) }
  }

  /// The members of an object in canonical order; empty for other kinds.
  public var members: [(name: String, value: ContentView)] {
    var result: [(name: String, value: ContentView)] = []
    forEachMember { _, name, value in
      result.append((text(name.lowerBound + 1..<name.upperBound - 1), ContentView(bytes, value)))
      return true
    }
    return result
  }

  /// The value of a member; nil when there is no such member or no object.
  public func member(_ name: String) -> ContentView? {
    member(canonicalName: CanonicalString.quoted(name))
  }

  /// As ``member(_:)``, for a name in canonical form with its quotes.
  package func member(canonicalName wanted: [UInt8]) -> ContentView? {
    var found: Range<Int>?
    wanted.withUnsafeBytes { wanted in
      forEachMember { scanner, name, value in
        if scanner.bytes.has(wanted, at: name) { found = value }
        return found == nil
      }
    }
    return found.map { ContentView(bytes, $0) }
  }

  /// Passes the ranges of the name, with its quotes, and of the value of each member of an object
  /// to a receiver, until it returns false.
  private func forEachMember(
    _ receive: (ValueScanner, _ name: Range<Int>, _ value: Range<Int>) -> Bool
  ) {
    bytes.withUnsafeBytes { bytes in
      let scanner = ValueScanner(bytes: bytes, end: range.upperBound)
      guard bytes[range.lowerBound] == UInt8(ascii: "{") else { return }
      var index = range.lowerBound + 1
      while index < range.upperBound - 1 {
        let nameEnd = scanner.endOfString(at: index)
        let value = nameEnd + 1..<scanner.endOfValue(at: nameEnd + 1)
        guard receive(scanner, index..<nameEnd, value) else { return }
        index = value.upperBound + 1
      }
    }
  }

  /// The value that a token of a JSON Pointer names: the element of an array, or the member of an
  /// object with this canonical name; nil if there is none.
  package func child(_ token: String, canonicalName: [UInt8]) -> ContentView? {
    guard kind == .array else { return member(canonicalName: canonicalName) }
    let list = elements
    guard let index = JSONPointer.arrayIndex(token), index < list.count else { return nil }
    return list[index]
  }

  /// The value at a path; nil if there is none.
  public func value(at path: JSONPointer) -> ContentView? {
    var view = self
    for token in path.tokens {
      guard let next = view.child(token, canonicalName: CanonicalString.quoted(token)) else {
        return nil
      }
      view = next
    }
    return view
  }

  /// The elements of an array; empty for other kinds.
  public var elements: [ContentView] {
    guard kind == .array else { return [] }
    var result: [ContentView] = []
    var index = range.lowerBound + 1
    bytes.withUnsafeBytes { bytes in
      let scanner = ValueScanner(bytes: bytes, end: range.upperBound)
      while index < range.upperBound - 1 {
        let end = scanner.endOfValue(at: index)
        result.append(ContentView(self.bytes, index..<end))
        index = end + 1
      }
    }
    return result
  }
}

/// Finds the ends of values in canonical bytes.
private struct ValueScanner {
  let bytes: UnsafeRawBufferPointer
  let end: Int

  func endOfString(at start: Int) -> Int {
    var index = PlainASCII.end(from: start + 1, in: bytes)
    while bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
      index = PlainASCII.end(from: index, in: bytes)
    }
    return index + 1
  }

  func endOfValue(at start: Int) -> Int {
    var index = start
    var depth = 0
    repeat {
      switch bytes[index] {
      case UInt8(ascii: "\""): index = endOfString(at: index)
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        index += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        index += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"): index += 1
      default: index = endOfScalar(at: index)
      }
    } while depth > 0
    return index
  }

  private func endOfScalar(at start: Int) -> Int {
    var index = start
    while index < end {
      switch bytes[index] {
      case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): return index
      default: index += 1
      }
    }
    return index
  }
}
