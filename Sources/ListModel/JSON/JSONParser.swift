/// Reads strict JSON (RFC 8259) from bytes and writes each value in canonical form (``Content``).
///
/// One pass, no tree: a value's canonical bytes are appended to an output as it is read; only the
/// members of an object that are out of order are put in order afterwards. Nothing is read past the
/// end of the bytes, and no input recurses deeper than ``maximumDepth``.
public struct JSONParser {
  /// How deep arrays and objects of one value may lie in each other.
  public static let maximumDepth = 512

  let bytes: [UInt8]
  /// The index of the next byte to read.
  public internal(set) var index: Int

  var output: [UInt8] = []
  private var names: [UInt8] = []
  private var members: [Member] = []
  private var depth: Int

  /// A member of an object that is being read.
  private struct Member {
    /// Its decoded name, in `names`.
    let name: Range<Int>
    /// Its canonical name, colon and value, in `output`.
    let text: Range<Int>
    /// Where its name starts in the source.
    let offset: Int
  }

  /// Starts at the first byte, or behind a byte order mark.
  ///
  /// - Parameter envelopeDepth: how many arrays and objects of a document lie around the values
  ///   that it carries; so much deeper than ``maximumDepth`` the document may be.
  public init(_ bytes: [UInt8], envelopeDepth: Int = 0) {
    self.bytes = bytes
    depth = -envelopeDepth
    index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// The next byte, or nil at the end.
  public var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  /// Reads one value and returns its canonical form.
  ///
  /// - Throws: `JSONError` at the first byte that cannot belong to a JSON value.
  /// - Complexity: O(bytes read), and O(k log k) comparisons for an object of k unsorted members.
  public mutating func canonicalValue() throws(JSONError) -> [UInt8] {
    output.removeAll(keepingCapacity: true)
    try appendValue()
    // A copy of exact size: the output keeps its room for the next value.
    return Array(output[...])
  }

  public mutating func skipWhitespace() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      index += 1
    }
  }

  /// Skips white space and checks that nothing follows.
  public mutating func expectEnd() throws(JSONError) {
    skipWhitespace()
    if current != nil { throw unexpected("the end of the input") }
  }

  /// Reads one byte that must be there.
  public mutating func expect(
    _ byte: UInt8, _ expected: @autoclosure () -> String
  ) throws(JSONError) {
    guard current == byte else { throw unexpected(expected()) }
    index += 1
  }

  /// The error that says what stands at `index` instead of what is expected.
  public func unexpected(_ expected: String) -> JSONError {
    guard let byte = current else {
      return JSONError(offset: index, problem: .cutOff(expected: expected))
    }
    if byte >= 0x80, UTF8Sequence.byteCount(at: index, in: bytes) == nil {
      return JSONError(offset: index, problem: .notUTF8)
    }
    return JSONError(
      offset: index, problem: .expected(expected, found: Self.describe(byte, at: index, in: bytes)))
  }

  private static func describe(_ byte: UInt8, at index: Int, in bytes: [UInt8]) -> String {
    let length = byte < 0x80 ? 1 : UTF8Sequence.byteCount(at: index, in: bytes) ?? 1
    let text = String(decoding: bytes[index..<index + length], as: UTF8.self)
    switch byte {
    case 0..<0x20, 0x7F: return "the byte 0x\(Hex.encode([byte]))"
    default: return "\"\(text)\""
    }
  }

  mutating func appendValue() throws(JSONError) {
    guard let byte = current else { throw unexpected("a JSON value") }
    switch byte {
    case UInt8(ascii: "\""): _ = try appendString()
    case UInt8(ascii: "{"): try appendObject()
    case UInt8(ascii: "["): try appendArray()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try appendNumber()
    case UInt8(ascii: "t"): try appendLiteral("true")
    case UInt8(ascii: "f"): try appendLiteral("false")
    case UInt8(ascii: "n"): try appendLiteral("null")
    default: throw unexpected("a JSON value")
    }
  }

  private mutating func appendLiteral(_ literal: StaticString) throws(JSONError) {
    for offset in 0..<literal.utf8CodeUnitCount {
      try expect(literal.utf8Start[offset], "\(literal)")
    }
    for offset in 0..<literal.utf8CodeUnitCount { output.append(literal.utf8Start[offset]) }
  }

  private mutating func descend() throws(JSONError) {
    depth += 1
    if depth > Self.maximumDepth { throw JSONError(offset: index, problem: .tooDeep) }
    index += 1
    skipWhitespace()
  }

  private mutating func appendArray() throws(JSONError) {
    try descend()
    output.append(UInt8(ascii: "["))
    if current == UInt8(ascii: "]") {
      index += 1
    } else {
      repeat {
        try appendValue()
        output.append(UInt8(ascii: ","))
      } while try hasNext(closing: UInt8(ascii: "]"), "',' or ']' in an array")
      output.removeLast()
    }
    output.append(UInt8(ascii: "]"))
    depth -= 1
  }

  /// Reads a comma or the closing byte, with the white space around it; true at a comma.
  public mutating func hasNext(
    closing: UInt8, _ expected: @autoclosure () -> String
  ) throws(JSONError) -> Bool {
    skipWhitespace()
    if current == UInt8(ascii: ",") {
      index += 1
      skipWhitespace()
      return true
    }
    try expect(closing, expected())
    return false
  }

  private mutating func appendObject() throws(JSONError) {
    try descend()
    let (firstMember, firstName) = (members.count, names.count)
    output.append(UInt8(ascii: "{"))
    let start = output.count
    if current == UInt8(ascii: "}") {
      index += 1
    } else {
      var isSorted = true
      repeat {
        try appendMember()
        isSorted = isSorted && (members.count - firstMember < 2 || precedes(members.count - 2))
      } while try hasNext(closing: UInt8(ascii: "}"), "',' or '}' in an object")
      if !isSorted { try sortMembers(from: firstMember, output: start) }
      output.removeLast()
    }
    output.append(UInt8(ascii: "}"))
    members.removeLast(members.count - firstMember)
    names.removeLast(names.count - firstName)
    depth -= 1
  }

  private mutating func appendMember() throws(JSONError) {
    guard current == UInt8(ascii: "\"") else { throw unexpected("a member name in quotes") }
    let (offset, start) = (index, output.count)
    let name = try appendName(outputStart: start)
    skipWhitespace()
    try expect(UInt8(ascii: ":"), "':' after a member name")
    output.append(UInt8(ascii: ":"))
    skipWhitespace()
    try appendValue()
    members.append(Member(name: name, text: start..<output.count, offset: offset))
    output.append(UInt8(ascii: ","))
  }

  /// Reads a member name into the output and, decoded, into `names`.
  private mutating func appendName(outputStart start: Int) throws(JSONError) -> Range<Int> {
    let isPlain = try appendString()
    let text = start + 1..<output.count - 1
    let nameStart = names.count
    if isPlain {
      names.append(contentsOf: output[text])
    } else {
      names.append(contentsOf: CanonicalString.decode(output[text]))
    }
    return nameStart..<names.count
  }

  /// Whether the name of a member is less than that of the next.
  private func precedes(_ position: Int) -> Bool {
    names[members[position].name].lexicographicallyPrecedes(names[members[position + 1].name])
  }

  private mutating func sortMembers(from first: Int, output start: Int) throws(JSONError) {
    let sorted = members[first...].sorted { a, b in
      names[a.name].lexicographicallyPrecedes(names[b.name])
    }
    for (a, b) in zip(sorted, sorted.dropFirst()) where names[a.name] == names[b.name] {
      let name = String(decoding: names[a.name], as: UTF8.self)
      throw JSONError(offset: max(a.offset, b.offset), problem: .duplicateMember(name))
    }
    var text: [UInt8] = []
    text.reserveCapacity(output.count - start)
    for member in sorted {
      text.append(contentsOf: output[member.text])
      text.append(UInt8(ascii: ","))
    }
    output.replaceSubrange(start..., with: text)
  }
}
