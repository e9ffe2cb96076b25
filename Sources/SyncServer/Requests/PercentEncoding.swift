import ListModel

/// The coding of addresses (RFC 3986, 2.1).
enum PercentEncoding {
  /// Nil if an escape is invalid, or the bytes are not UTF-8.
  static func decode(_ text: Substring) -> String? {
    guard text.utf8.contains(escape) else { return String(text) }
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == escape else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst()?.hexValue, let low = rest.popFirst()?.hexValue else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    // Foundation's own decoding drops U+FEFF at the beginning of a text.
    let decoded = String(decoding: bytes, as: UTF8.self)
    return decoded.utf8.elementsEqual(bytes) ? decoded : nil
  }

  private static let escape = UInt8(ascii: "%")

  /// Decodes a name or value of a query, in which a plus stands for a space.
  static func decode(query text: Substring) -> String? {
    guard text.utf8.contains(UInt8(ascii: "+")) else { return decode(text) }
    return decode(text.replacing("+", with: " ")[...])
  }

  /// Escapes all but unreserved characters.
  static func encode(_ text: String) -> String {
    text.utf8.map { byte in
      byte.isAlphanumeric || "-._~".utf8.contains(byte)
        ? String(UnicodeScalar(byte)) : "%" + Hex.encode([byte]).uppercased()
    }.joined()
  }
}

extension UInt8 {
  /// The value of an ASCII hexadecimal digit; nil for other bytes.
  fileprivate var hexValue: UInt8? {
    Character(UnicodeScalar(self)).hexDigitValue.map { UInt8($0) }
  }
}
