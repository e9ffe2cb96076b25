import Foundation

/// The coding of addresses (RFC 3986, 2.1).
enum PercentEncoding {
  /// Nil when an escape is not one, or the bytes are not UTF-8.
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
    // Foundation's own decoding drops U+FEFF where a text begins with it.
    let decoded = String(decoding: bytes, as: UTF8.self)
    return decoded.utf8.elementsEqual(bytes) ? decoded : nil
  }

  private static let escape = UInt8(ascii: "%")

  /// A part of a query, where a plus stands for a space.
  static func decode(query text: Substring) -> String? {
    guard text.utf8.contains(UInt8(ascii: "+")) else { return decode(text) }
    return decode(text.replacing("+", with: " ")[...])
  }

  /// The text with everything but unreserved characters escaped.
  static func encode(_ text: String) -> String {
    // No text lacks a coding.
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

extension UInt8 {
  /// What the byte counts as a hexadecimal digit; nil where it is none.
  fileprivate var hexValue: UInt8? {
    Character(UnicodeScalar(self)).isASCII
      ? Character(UnicodeScalar(self)).hexDigitValue.map { UInt8($0) } : nil
  }
}
