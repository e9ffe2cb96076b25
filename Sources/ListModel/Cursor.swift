/// A version with the start of its chain. It identifies a state of one history, while a version
/// alone also exists in other histories.
///
/// Written `7-3f9a1c2b7d40…`: the version, a hyphen, and the first 32 lower-case hex digits of the
/// chain, which nobody finds for another history. People are shown 12 digits, and may give 8 or
/// more: the given digits are compared, and fewer of them prove less.
public struct Cursor: Hashable, Sendable, CustomStringConvertible {
  /// How many digits documents have.
  public static let digitCount = 32
  private static let shownDigitCount = 12
  private static let leastDigitCount = 8

  /// The cursor of version 0 of every list.
  package static let zero = Cursor(version: .zero, chain: .zero)

  public let version: Version
  /// The first 32 hex digits of the version's chain; at least 8 if a person gave them.
  public let chainPrefix: String

  public init(version: Version, chain: Chain) {
    self.version = version
    chainPrefix = Hex.encode(chain.bytes.prefix(Self.digitCount / 2))
  }

  /// Reads the form of documents, with hex digits in either case; nil for any other text.
  public init?(_ text: String) {
    self.init(given: text)
    guard isFull else { return nil }
  }

  /// Reads a cursor with at least 8 digits; nil for any other text.
  public init?(given text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let version = Version(text: parts[0]),
      (Self.leastDigitCount...Self.digitCount).contains(parts[1].utf8.count),
      parts[1].allSatisfy(\.isHexDigit), parts[1].allSatisfy(\.isASCII)
    else { return nil }
    self.version = version
    chainPrefix = parts[1].lowercased()
  }

  /// Whether it has the digits of documents.
  public var isFull: Bool { chainPrefix.utf8.count == Self.digitCount }

  /// Whether it is another cursor, or the beginning of it.
  package func names(_ cursor: Cursor) -> Bool {
    version == cursor.version && cursor.chainPrefix.hasPrefix(chainPrefix)
  }

  public var description: String { "\(version)-\(chainPrefix)" }

  /// The form for people: `7-3f9a1c2b7d40`.
  public var short: String { "\(version)-\(chainPrefix.prefix(Self.shownDigitCount))" }
}

extension Version {
  /// Reads a version in decimal digits; nil for any other text.
  public init?(text: some StringProtocol) {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text)
    else { return nil }
    self.init(number)
  }
}
