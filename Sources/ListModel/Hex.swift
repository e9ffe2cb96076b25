/// Lower-case hexadecimal, two digits a byte.
package enum Hex {
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Nil when the text has an odd length or another character than a hex digit.
  static func decode(_ text: String) -> [UInt8]? {
    let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).compactMap { index in
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      return UInt8(high * 16 + low)
    }
  }
}
