/// Reads strict JSON (RFC 8259) from bytes and writes each value in canonical form (``Content``).
///
/// It makes one pass and no tree. Canonical bytes are skipped, then copied in long stretches; only
/// unordered members of an object are sorted afterwards. It never reads past the end of the bytes,
/// and recursion is limited.
public struct JSONParser {
  private(set) var bytes: [UInt8]
  /// The index of the next byte to read.
  public internal(set) var index: Int

  /// The start of the value's canonical text; the bytes from `copiedEnd` to `index` follow it.
  var output: [UInt8] = []
  /// The start of the canonical bytes that are still to be copied.
  var copiedEnd = 0

  var members: [Member] = []
  /// The decoded names of members that have escapes.
  var names: [UInt8] = []
  /// The text of the last sorted object; kept for its capacity.
  var sortedText: [UInt8] = []
  /// The order of its members, kept because most objects of a list have the same.
  var order: [Int] = []
  private var depth: Int
  private let depthLimit: Int
  /// The highest length of a value's canonical text; reading stops at a longer value.
  package var byteLimit = Int.max

  /// Starts at the first byte, or behind a byte order mark.
  ///
  /// - Parameters:
  ///   - bytes: a JSON text.
  ///   - limits: only the depth is used.
  ///   - envelopeDepth: the nesting depth of the items in their document, by which it may exceed
  ///     the limit.
  public init(_ bytes: [UInt8], limits: Limits = .standard, envelopeDepth: Int = 0) {
    self.bytes = bytes
    depth = -envelopeDepth
    depthLimit = limits[.depth]
    index = bytes.textStart
  }

  /// Continues at another byte.
  package mutating func move(to index: Int) { self.index = index }

  /// The next byte; nil at the end.
  public var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  /// Reads one value and returns its canonical form.
  ///
  /// - Throws: `JSONError` at the first byte that cannot belong to a JSON value.
  /// - Complexity: O(bytes read), and O(k log k) comparisons for an object of k unsorted members.
  public mutating func canonicalValue() throws(JSONError) -> [UInt8] {
    let start = index
    output.removeAll(keepingCapacity: true)
    copiedEnd = start
    try readValue()
    try checkLength()
    // Copies of exact size: the output keeps its capacity for the next value.
    if output.isEmpty { return Array(copying: start..<index, of: bytes) }
    copyText(to: index)
    return Array(copying: output.indices, of: output)
  }

  /// Whether bytes are exactly one value in canonical form; can be called again and again.
  mutating func isCanonical(_ bytes: [UInt8]) -> Bool {
    self.bytes = bytes
    (index, copiedEnd, depth) = (0, 0, 0)
    output.removeAll(keepingCapacity: true)
    members.removeAll(keepingCapacity: true)
    names.removeAll(keepingCapacity: true)
    do {
      try readValue()
    } catch {
      return false
    }
    guard index == bytes.count else { return false }
    if output.isEmpty { return true }
    copyText(to: index)
    return output == bytes
  }

  private func checkLength() throws(JSONError) {
    guard textCount > byteLimit else { return }
    let exceeded = ExceededLimit(.itemBytes, bound: byteLimit)
    throw JSONError(offset: index, reason: .limit(exceeded))
  }

  /// The length of the canonical text so far.
  var textCount: Int { output.count + index - copiedEnd }

  /// Copies the bytes before `end` that are still to be copied.
  mutating func copyText(to end: Int) {
    output.append(copiedEnd..<end, of: bytes)
    copiedEnd = end
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

  /// The error that names the byte at `index` and the expected one.
  public func unexpected(_ expected: String) -> JSONError {
    guard let byte = current else {
      return JSONError(offset: index, reason: .cutOff(expected: expected))
    }
    if byte >= 0x80, UTF8Sequence.byteCount(at: index, in: bytes) == nil {
      return JSONError(offset: index, reason: .notUTF8)
    }
    return JSONError(
      offset: index, reason: .expected(expected, found: Self.describe(byte, at: index, in: bytes)))
  }

  private static func describe(_ byte: UInt8, at index: Int, in bytes: [UInt8]) -> String {
    let length = byte < 0x80 ? 1 : UTF8Sequence.byteCount(at: index, in: bytes) ?? 1
    let text = String(decoding: bytes[index..<index + length], as: UTF8.self)
    switch byte {
    case 0..<0x20, 0x7F: return "the byte 0x\(Hex.encode([byte]))"
    default: return "\"\(text)\""
    }
  }

  mutating func readValue() throws(JSONError) {
    guard let byte = current else { throw unexpected("a JSON value") }
    switch byte {
    case UInt8(ascii: "\""): _ = try readString()
    case UInt8(ascii: "{"): try readObject()
    case UInt8(ascii: "["): try readArray()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try readNumber()
    case UInt8(ascii: "t"): try readLiteral("true")
    case UInt8(ascii: "f"): try readLiteral("false")
    case UInt8(ascii: "n"): try readLiteral("null")
    default: throw unexpected("a JSON value")
    }
  }

  private mutating func readLiteral(_ literal: StaticString) throws(JSONError) {
    for offset in 0..<literal.utf8CodeUnitCount {
      try expect(literal.utf8Start[offset], "\(literal)")
    }
  }

  /// Skips white space inside of a value and omits it from the canonical text.
  mutating func dropWhitespace() {
    guard let byte = current, byte <= 0x20 else { return }
    copyText(to: index)
    skipWhitespace()
    copiedEnd = index
  }

  /// Reads an opening bracket or brace.
  mutating func descend() throws(JSONError) {
    depth += 1
    if depth > depthLimit {
      let exceeded = ExceededLimit(.depth, bound: depthLimit)
      throw JSONError(offset: index, reason: .limit(exceeded))
    }
    index += 1
    dropWhitespace()
  }

  mutating func ascend() { depth -= 1 }

  private mutating func readArray() throws(JSONError) {
    try descend()
    if current == UInt8(ascii: "]") {
      index += 1
    } else {
      repeat {
        try readValue()
      } while try continues(closing: UInt8(ascii: "]"), "',' or ']' in an array")
    }
    ascend()
  }

  /// As ``hasNext(closing:_:)``, but inside of a value.
  mutating func continues(
    closing: UInt8, _ expected: @autoclosure () -> String
  ) throws(JSONError) -> Bool {
    dropWhitespace()
    guard current == UInt8(ascii: ",") else {
      try expect(closing, expected())
      return false
    }
    index += 1
    try checkLength()
    dropWhitespace()
    return true
  }

  /// Reads a comma or the closing byte, with the white space around it; returns true for a comma.
  public mutating func hasNext(
    closing: UInt8, _ expected: @autoclosure () -> String
  ) throws(JSONError) -> Bool {
    skipWhitespace()
    guard current == UInt8(ascii: ",") else {
      try expect(closing, expected())
      return false
    }
    index += 1
    skipWhitespace()
    return true
  }
}
