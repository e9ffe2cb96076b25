/// A version with the start of its chain. It identifies a state of one history, while a version
/// alone also exists in other histories.
///
/// Written `7-3f9a1c2b7d40`: the version, a hyphen, the first 12 lower-case hex digits of the
/// chain.
public struct Cursor: Hashable, Sendable, CustomStringConvertible {
  static let digitCount = 12

  /// The cursor of version 0 of every list.
  package static let zero = Cursor(version: .zero, chain: .zero)

  public let version: Version
  /// The first 12 hex digits of the version's chain.
  public let chainPrefix: String

  public init(version: Version, chain: Chain) {
    self.version = version
    chainPrefix = Hex.encode(chain.bytes.prefix(Self.digitCount / 2))
  }

  /// Reads the written form, with hex digits in either case; nil for any other text.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let version = Version(text: parts[0]),
      parts[1].utf8.count == Self.digitCount, parts[1].allSatisfy(\.isHexDigit),
      parts[1].allSatisfy(\.isASCII)
    else { return nil }
    self.version = version
    chainPrefix = parts[1].lowercased()
  }

  public var description: String { "\(version)-\(chainPrefix)" }
}

extension Version {
  /// Reads a version in decimal digits; nil for any other text.
  public init?(text: some StringProtocol) {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text)
    else { return nil }
    self.init(number)
  }
}
