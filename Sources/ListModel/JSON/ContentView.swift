/// A value inside a canonical content. It trusts that the bytes are canonical.
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

  /// The value as a content of its own.
  public var content: Content { Content(canonicalBytes: Array(bytes[range])) }

  /// What a string says, or the spelling of a number; nil for any other kind.
  public var scalarText: String? {
    switch kind {
    case .string:
      String(
        decoding: CanonicalString.decode(bytes[range.lowerBound + 1..<range.upperBound - 1]),
        as: UTF8.self)
    case .number: String(decoding: bytes[range], as: UTF8.self)
    default: nil
    }
  }

  /// The members of an object in canonical order; empty for any other kind.
  public var members: [(name: String, value: ContentView)] {
    var result: [(name: String, value: ContentView)] = []
    forEachMember { name, value in
      let text = CanonicalString.decode(bytes[name.lowerBound + 1..<name.upperBound - 1])
      result.append((String(decoding: text, as: UTF8.self), ContentView(bytes, value)))
      return true
    }
    return result
  }

  /// The value of one member of an object; nil when there is none, or no object.
  public func member(_ name: String) -> ContentView? {
    var wanted: [UInt8] = []
    CanonicalString.append(quoted: name, to: &wanted)
    return member(canonicalName: wanted)
  }

  /// As ``member(_:)`` for a name that is already in canonical form, quotes included.
  package func member(canonicalName wanted: [UInt8]) -> ContentView? {
    var found: ContentView?
    forEachMember { name, value in
      if name.count == wanted.count, bytes[name].elementsEqual(wanted) {
        found = ContentView(bytes, value)
      }
      return found == nil
    }
    return found
  }

  /// The elements of an array; empty for any other kind.
  public var elements: [ContentView] {
    guard kind == .array else { return [] }
    var result: [ContentView] = []
    var index = range.lowerBound + 1
    while index < range.upperBound - 1 {
      let end = endOfValue(at: index)
      result.append(ContentView(bytes, index..<end))
      index = end + 1
    }
    return result
  }

  /// Calls back with the ranges of each name, quotes included, and value, until that answers false.
  private func forEachMember(_ body: (_ name: Range<Int>, _ value: Range<Int>) -> Bool) {
    guard kind == .object else { return }
    var index = range.lowerBound + 1
    while index < range.upperBound - 1 {
      let nameEnd = endOfString(at: index)
      let valueEnd = endOfValue(at: nameEnd + 1)
      guard body(index..<nameEnd, nameEnd + 1..<valueEnd) else { return }
      index = valueEnd + 1
    }
  }

  private func endOfString(at start: Int) -> Int {
    var index = start + 1
    while bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return index + 1
  }

  private func endOfValue(at start: Int) -> Int {
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
    while index < range.upperBound {
      switch bytes[index] {
      case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): return index
      default: index += 1
      }
    }
    return index
  }
}
