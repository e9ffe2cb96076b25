import Foundation

/// The coding of addresses (RFC 3986, 2.1).
enum PercentEncoding {
  /// Nil when an escape is not one, or the bytes are not UTF-8.
  static func decode(_ text: Substring) -> String? {
    text.utf8.contains(UInt8(ascii: "%")) ? text.removingPercentEncoding : String(text)
  }

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
