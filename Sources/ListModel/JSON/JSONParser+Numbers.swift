extension JSONParser {
  /// Reads a number by the grammar of RFC 8259, section 6.
  mutating func readNumber() throws(JSONError) {
    let start = index
    let isNegative = current == UInt8(ascii: "-")
    if isNegative { index += 1 }
    let digits = try readDigits("a digit")
    if digits.count > 1, bytes[digits.lowerBound] == UInt8(ascii: "0") {
      index = digits.lowerBound + 1
      throw unexpected("no digit after a leading zero")
    }
    var fraction = index..<index
    if current == UInt8(ascii: ".") {
      index += 1
      fraction = try readDigits("a digit after '.'")
    }
    let exponentStart = index
    let exponent = try readExponent()
    if exponentStart == index, isCanonical(digits, fraction: fraction, isNegative: isNegative) {
      return
    }
    let number = CanonicalNumber(
      isNegative: isNegative, digits: Array(bytes[digits]) + Array(bytes[fraction]),
      pointPosition: digits.count + exponent)
    // The canonical form must be readable.
    guard !number.hasTooLargeExponent else {
      throw JSONError(offset: exponentStart, reason: .exponentTooLarge)
    }
    copyText(to: start)
    number.append(to: &output)
    copiedEnd = index
  }

  /// Whether a number without an exponent is written as ``CanonicalNumber`` writes it.
  private func isCanonical(_ digits: Range<Int>, fraction: Range<Int>, isNegative: Bool) -> Bool {
    guard digits.count <= CanonicalNumber.plainDigitCount else { return false }
    let zero = UInt8(ascii: "0")
    let isBelowOne = bytes[digits.lowerBound] == zero
    if fraction.isEmpty { return !(isNegative && isBelowOne) }
    if bytes[fraction.upperBound - 1] == zero { return false }
    if !isBelowOne { return true }
    return bytes[fraction].prefix { $0 == zero }.count <= CanonicalNumber.plainZeroCount
  }

  private mutating func readDigits(
    _ expected: @autoclosure () -> String
  ) throws(JSONError) -> Range<Int> {
    let start = index
    while let byte = current, (0x30...0x39).contains(byte) { index += 1 }
    if start == index { throw unexpected(expected()) }
    return start..<index
  }

  private mutating func readExponent() throws(JSONError) -> Int {
    guard current == UInt8(ascii: "e") || current == UInt8(ascii: "E") else { return 0 }
    let start = index
    index += 1
    let isNegative = current == UInt8(ascii: "-")
    if isNegative || current == UInt8(ascii: "+") { index += 1 }
    let digits = bytes[try readDigits("a digit in an exponent")].drop { $0 == 0x30 }
    guard digits.count <= CanonicalNumber.maximumExponentDigitCount else {
      throw JSONError(offset: start, reason: .exponentTooLarge)
    }
    let magnitude = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    return isNegative ? -magnitude : magnitude
  }
}

/// An exact decimal number: its significant digits and the position of the point.
///
/// The layout is that of RFC 8785 (section 3.2.2.3) with all digits kept: plain up to 21 digits
/// before the point and 5 zeros behind it, else with an exponent. So `1.00` is `1`, `-0` is `0`,
/// `12345678901234567890` keeps every digit, and `1e999999` stays small.
struct CanonicalNumber {
  static let plainDigitCount = 21
  /// The highest number of zeros between the point and the first other digit.
  static let plainZeroCount = 5
  static let maximumExponentDigitCount = 15
  /// The largest readable exponent.
  static let maximumExponent = 999_999_999_999_999

  private let isNegative: Bool
  /// ASCII digits without zeros at either end; none for zero.
  private let digits: ArraySlice<UInt8>
  /// The value is 0.digits × 10^pointPosition.
  private let pointPosition: Int

  /// - Parameter pointPosition: the number of digits before the point; may be negative, or more
  ///   than the digits.
  init(isNegative: Bool, digits: [UInt8], pointPosition: Int) {
    let leadingZeros = digits.prefix { $0 == 0x30 }.count
    let trailingZeros = digits.reversed().prefix { $0 == 0x30 }.count
    let significant = leadingZeros < digits.count
    self.digits = significant ? digits[leadingZeros..<digits.count - trailingZeros] : []
    self.pointPosition = pointPosition - leadingZeros
    self.isNegative = isNegative
  }

  /// Whether the canonical form would need an exponent that is not readable, as for
  /// `12e999999999999999`.
  var hasTooLargeExponent: Bool {
    !digits.isEmpty && (pointPosition - 1).magnitude > Self.maximumExponent
  }

  func append(to output: inout [UInt8]) {
    guard let first = digits.first else { return output.append(0x30) }
    if isNegative { output.append(UInt8(ascii: "-")) }
    let (count, point) = (digits.count, pointPosition)
    if count <= point, point <= Self.plainDigitCount {
      output += digits
      output += Array(repeating: 0x30, count: point - count)
    } else if 0 < point, point <= Self.plainDigitCount {
      output += digits.prefix(point)
      output.append(UInt8(ascii: "."))
      output += digits.dropFirst(point)
    } else if -Self.plainZeroCount <= point, point <= 0 {
      output += "0.".utf8
      output += Array(repeating: 0x30, count: -point)
      output += digits
    } else {
      output.append(first)
      if count > 1 { output.append(UInt8(ascii: ".")) }
      output += digits.dropFirst()
      output += "e\(point > 0 ? "+" : "")\(point - 1)".utf8
    }
  }
}
