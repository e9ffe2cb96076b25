extension JSONParser {
  /// Reads a string; returns whether it has an escape.
  mutating func readString() throws(JSONError) -> Bool {
    index += 1
    var hasEscape = false
    while true {
      try skipPlainBytes()
      switch current {
      case UInt8(ascii: "\""):
        index += 1
        return hasEscape
      case UInt8(ascii: "\\"):
        hasEscape = true
        copyText(to: index)
        CanonicalString.append(try readEscape(), to: &output)
        copiedEnd = index
      case .some(let byte):
        throw JSONError(offset: index, reason: .controlCharacter(byte))
      case nil:
        throw JSONError(offset: index, reason: .cutOff(expected: "the closing quote of a string"))
      }
    }
  }

  /// Skips well-formed UTF-8 up to a quote, a backslash, a control character or the end.
  private mutating func skipPlainBytes() throws(JSONError) {
    index = PlainASCII.end(from: index, in: bytes)
    while let byte = current, byte >= 0x80 {
      guard let length = UTF8Sequence.byteCount(at: index, in: bytes) else {
        throw JSONError(offset: index, reason: .notUTF8)
      }
      index = PlainASCII.end(from: index + length, in: bytes)
    }
  }

  /// Reads `\n`, `\u00e9` or a pair of `\u` escapes.
  private mutating func readEscape() throws(JSONError) -> Unicode.Scalar {
    let start = index
    index += 1
    guard let byte = current else { throw unexpected("an escape after '\\'") }
    if let simple = CanonicalString.scalar(forShortEscape: byte) {
      index += 1
      return simple
    }
    guard byte == UInt8(ascii: "u") else {
      throw unexpected("one of \" \\ / b f n r t u after '\\'")
    }
    index += 1
    let unit = try readHexUnit()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard unit < 0xDC00, current == UInt8(ascii: "\\"), index + 1 < bytes.count,
      bytes[index + 1] == UInt8(ascii: "u")
    else { throw JSONError(offset: start, reason: .loneSurrogate) }
    index += 2
    let low = try readHexUnit()
    guard (0xDC00...0xDFFF).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + UInt32(low) - 0xDC00)
    else { throw JSONError(offset: start, reason: .loneSurrogate) }
    return scalar
  }

  private mutating func readHexUnit() throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw unexpected("four hex digits after \\u")
      }
      unit = unit << 4 | UInt16(digit)
      index += 1
    }
    return unit
  }
}

/// Strings in canonical form: quotes, backslashes and control characters have the shortest escapes;
/// other characters have none.
package enum CanonicalString {
  /// A text with its quotes.
  package static func quoted(_ text: String) -> [UInt8] {
    var output: [UInt8] = []
    append(quoted: text, to: &output)
    return output
  }

  /// Appends a text with its quotes.
  package static func append(quoted text: String, to output: inout [UInt8]) {
    append(quoted: text.utf8, to: &output)
  }

  /// Appends a text, given as well-formed UTF-8, with its quotes.
  package static func append(quoted utf8: some Sequence<UInt8>, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    for byte in utf8 { append(byte, to: &output) }
    output.append(UInt8(ascii: "\""))
  }

  /// Appends a range of well-formed UTF-8 with its quotes; bytes without escapes in one piece.
  package static func append(
    quoted range: Range<Int>, of source: [UInt8], to output: inout [UInt8]
  ) {
    output.append(UInt8(ascii: "\""))
    var index = range.lowerBound
    while index < range.upperBound {
      let end = PlainASCII.end(from: index, before: range.upperBound, in: source)
      output.append(index..<end, of: source)
      if end < range.upperBound { append(source[end], to: &output) }
      index = end + 1
    }
    output.append(UInt8(ascii: "\""))
  }

  static func append(_ scalar: Unicode.Scalar, to output: inout [UInt8]) {
    if scalar.isASCII {
      append(UInt8(scalar.value), to: &output)
    } else {
      output.append(contentsOf: UTF8.encode(scalar)!)
    }
  }

  private static func append(_ byte: UInt8, to output: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
    case 0x08: output += "\\b".utf8
    case 0x09: output += "\\t".utf8
    case 0x0A: output += "\\n".utf8
    case 0x0C: output += "\\f".utf8
    case 0x0D: output += "\\r".utf8
    case 0..<0x20: output += "\\u00\(Hex.encode([byte]))".utf8
    default: output.append(byte)
    }
  }

  static func scalar(forShortEscape byte: UInt8) -> Unicode.Scalar? {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): Unicode.Scalar(byte)
    case UInt8(ascii: "b"): "\u{08}"
    case UInt8(ascii: "f"): "\u{0C}"
    case UInt8(ascii: "n"): "\n"
    case UInt8(ascii: "r"): "\r"
    case UInt8(ascii: "t"): "\t"
    default: nil
    }
  }

  /// The decoded bytes of a canonical string without its quotes.
  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
        result.append(byte)
        continue
      }
      if let simple = scalar(forShortEscape: escape) {
        result.append(UInt8(simple.value))
      } else {
        // Canonical text escapes as \u00XX only.
        let digits = String(decoding: rest.prefix(4), as: UTF8.self)
        result.append(UInt8(digits, radix: 16) ?? 0)
        rest = rest.dropFirst(4)
      }
    }
    return result
  }
}
