/// How a tool changes a value that nobody edited, when it reads a list and writes it again.
public enum RewritingKind: String, CaseIterable, Sendable {
  case absentToNull = "absent → null"
  case nullToAbsent = "null → absent"
  /// Such as `NA` and null, or an absent member and an empty text.
  case emptyValue = "another empty value"
  /// A text that is a number with the same value: `"007"` and `7`.
  case textToNumber = "text → number"
  case numberToText = "number → text"
  case booleanToNumber = "boolean → number"
  /// An array or object, and its JSON as a text.
  case nestedToText = "nested → text"
  /// A number that is rounded, or written with fewer or more zeros.
  case digits = "other digits"
  /// The same date or time in another form, as a number too.
  case timeForm = "another form of a time"
  case letterCase = "letter case"
  case whiteSpace = "white space"
  /// A member with the same value under another name, such as `A` and `A_1`.
  case name = "another name"

  /// - Parameters:
  ///   - old: the value before; nil for an absent member.
  ///   - new: the value after; nil for an absent member.
  /// - Returns: nil for a difference that looks like an edit, and for equal values.
  /// - Complexity: O(bytes).
  public init?(from old: Content?, to new: Content?) {
    let (before, after) = (old.map { ContentView($0) }, new.map { ContentView($0) })
    guard let kind = Self.kind(before, after) else { return nil }
    self = kind
  }

  private static func kind(_ old: ContentView?, _ new: ContentView?) -> RewritingKind? {
    switch (old?.kind, new?.kind) {
    case (nil, nil): return nil
    case (nil, .null): return .absentToNull
    case (.null, nil): return .nullToAbsent
    case (.null, .string), (nil, .string), (.string, .null), (.string, nil):
      return [old, new].compactMap { $0?.scalarText }.allSatisfy(isEmptyValue) ? .emptyValue : nil
    case (.string, .string): return kind(old?.scalarText ?? "", new?.scalarText ?? "")
    case (.string, .number):
      let (text, number) = (old?.scalarText ?? "", new?.scalarText ?? "")
      if TimeText(text) != nil { return .timeForm }
      return isSameNumber(text, number) ? .textToNumber : nil
    case (.number, .string):
      let (number, text) = (old?.scalarText ?? "", new?.scalarText ?? "")
      if isSameNumber(text, number) { return .numberToText }
      return TimeText(text) == nil ? nil : .timeForm
    case (.number, .number): return numberKind(old?.scalarText ?? "", new?.scalarText ?? "")
    case (.boolean, .number):
      return old?.content == (new?.scalarText == "1" ? .true : .false) ? .booleanToNumber : nil
    case (.array, .string), (.object, .string):
      return isText(new?.scalarText ?? "", of: old) ? .nestedToText : nil
    default: return nil
    }
  }

  private static func isEmptyValue(_ text: String) -> Bool {
    ["", "na", "n/a", "nan", "null", "none"].contains(text.lowercased())
  }

  private static func kind(_ old: String, _ new: String) -> RewritingKind? {
    if old.utf8.elementsEqual(new.utf8) { return nil }
    if isEmptyValue(old), isEmptyValue(new) { return .emptyValue }
    if old.filter({ !$0.isWhitespace }) == new.filter({ !$0.isWhitespace }) { return .whiteSpace }
    if old.lowercased() == new.lowercased() { return .letterCase }
    if let (old, new) = TimeText(old).flatMap({ old in TimeText(new).map { (old, $0) } }) {
      return old.isSame(as: new) ? .timeForm : nil
    }
    if let new = TimeText(new), new.isMonth(old) { return .timeForm }
    if let old = Double(old), let new = Double(new), old == new { return .digits }
    return nil
  }

  private static func isSameNumber(_ text: String, _ number: String) -> Bool {
    let text = text.filter { !$0.isWhitespace }
    // YAML's octal numbers; Swift reads hexadecimal ones itself.
    let octal = text.hasPrefix("0o") ? Int(text.dropFirst(2), radix: 8).map(Double.init) : nil
    guard let value = octal ?? Double(text), let number = Double(number) else { return false }
    return value == number
  }

  /// `1767600000` and `1767600000000` are one time in seconds and in milliseconds.
  private static func numberKind(_ old: String, _ new: String) -> RewritingKind? {
    guard let before = Double(old), let after = Double(new) else { return nil }
    if before.isInfinite { return abs(after) > 1e308 ? .digits : nil }
    let scales = [1e3, 1e6, 1e9]
    if abs(before) >= 1e8, scales.contains(where: { before * $0 == after }) { return .timeForm }
    if abs(after) >= 1e8, scales.contains(where: { after * $0 == before }) { return .timeForm }
    let (digits, unit) = DecimalDigits.measure(new)
    guard digits < DecimalDigits.measure(old).digits else { return nil }
    return abs(before - after) <= unit * 0.500_000_1 ? .digits : nil
  }

  private static func isText(_ text: String, of old: ContentView?) -> Bool {
    (try? Content(json: Array(text.utf8))) == old?.content
  }
}

extension Content {
  fileprivate static let `true` = Content(canonicalBytes: Array("true".utf8))
  fileprivate static let `false` = Content(canonicalBytes: Array("false".utf8))
}

private enum DecimalDigits {
  /// The number of significant digits of a canonical number, 0 for zero, and the value of its last
  /// place.
  static func measure(_ number: String) -> (digits: Int, unit: Double) {
    let parts = number.split(separator: "e", maxSplits: 1)
    let mantissa = parts[0].drop { $0 == "-" }
    let exponent = parts.count > 1 ? Double(parts[1]) ?? 0 : 0
    let fraction = mantissa.split(separator: ".", maxSplits: 1).dropFirst().first?.count ?? 0
    let digits = mantissa.filter { $0 != "." }.drop { $0 == "0" }
    // Zeros at the end of an integer may be rounded digits.
    let zeros = fraction == 0 ? digits.reversed().prefix { $0 == "0" }.count : 0
    return (digits.count - zeros, power(exponent - Double(fraction) + Double(zeros)))
  }

  private static func power(_ exponent: Double) -> Double { Double("1e\(Int(exponent))") ?? 0 }
}

/// A text that has the form of a date or of a time.
private struct TimeText {
  private let text: String
  /// The numbers in the text, ascending.
  private let numbers: [Int]

  init?(_ text: String) {
    // A text that is longer is prose.
    guard text.utf8.count <= 40 else { return nil }
    let parts = text.split { !$0.isASCII || !$0.isNumber }
    let numbers = parts.compactMap { Int($0) }
    guard numbers.count == parts.count, Self.hasForm(text, parts) else { return nil }
    (self.text, self.numbers) = (text, numbers.sorted())
  }

  /// Three numbers with one of `-/.` between them, or two with a colon.
  private static func hasForm(_ text: String, _ parts: [Substring]) -> Bool {
    guard parts.count >= 2, parts.allSatisfy({ $0.count <= 9 }) else { return false }
    let between = zip(parts, parts.dropFirst()).map { text[$0.endIndex..<$1.startIndex] }
    let isDate =
      between.count >= 2 && between[0] == between[1] && ["-", "/", "."].contains(between[0])
    return isDate || between.contains(":")
  }

  /// Whether both can be one time: one has all numbers of the other, or both are the same instant.
  func isSame(as other: TimeText) -> Bool {
    let (few, many) = numbers.count < other.numbers.count ? (self, other) : (other, self)
    var rest = many.numbers[...]
    let isPart = few.numbers.allSatisfy { number in
      guard let place = rest.firstIndex(of: number) else { return false }
      rest = rest[(place + 1)...]
      return true
    }
    // The added numbers must be zeros: midnight, or an offset of zero.
    if isPart, Set(many.numbers).subtracting(few.numbers).subtracting([0]).isEmpty { return true }
    guard let one = Timestamp.read(text), let two = Timestamp.read(other.text) else { return false }
    return one.start == two.start
  }

  /// Whether a text is the name of a month, which a tool has read as the first of a year.
  func isMonth(_ text: String) -> Bool {
    let names = [
      "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    let month = names.firstIndex { text.lowercased().hasPrefix($0) }
    return month.map { numbers.contains($0 + 1) } ?? false
  }
}
