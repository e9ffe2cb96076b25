/// The reason for which a text is not the expected JSON, and its place.
public struct JSONError: Error, Equatable, Sendable {
  public enum Reason: Equatable, Sendable {
    /// Another character is in place of the expected one.
    case expected(String, found: String)
    /// The text ends inside a value.
    case cutOff(expected: String)
    /// The bytes are not UTF-8 (RFC 3629).
    case notUTF8
    /// A string holds a control character that must be escaped.
    case controlCharacter(UInt8)
    /// `\u` names half of a surrogate pair, which no text can contain.
    case loneSurrogate
    /// An object names a member twice.
    case duplicateMember(String)
    /// A value is deeper or longer than a limit allows, or its list has too many items.
    case limit(ExceededLimit)
    /// The exponent of a number has more than 15 digits, in the text or in canonical form.
    case exponentTooLarge
  }

  /// The index of the byte at fault, from the first byte read.
  public let offset: Int
  public let reason: Reason

  public init(offset: Int, reason: Reason) {
    self.offset = offset
    self.reason = reason
  }
}

extension JSONError {
  /// The limit at fault; nil for other reasons.
  package var exceeded: ExceededLimit? {
    if case .limit(let exceeded) = reason { exceeded } else { nil }
  }

  /// The description for a reader that expects JSON. Input over a limit, or with a repeated member,
  /// may well be JSON.
  package var asReason: String {
    switch reason {
    case .limit, .duplicateMember: "\(self)"
    default: "not JSON: \(self)"
    }
  }
}

extension JSONError: CustomStringConvertible {
  public var description: String {
    switch reason {
    case .expected(let expected, let found): "expected \(expected), found \(found)"
    case .cutOff(let expected): "the input ends where \(expected) is expected: it was cut off"
    case .notUTF8: "not UTF-8 at byte \(offset)"
    case .controlCharacter(let byte):
      "control character U+00\(Hex.encode([byte]).uppercased()) in a string; it must be escaped"
    case .loneSurrogate: "\\u escape of half a surrogate pair"
    case .duplicateMember(let name): "member \"\(name)\" stands twice in one object"
    case .limit(let exceeded): "\(exceeded)"
    case .exponentTooLarge: "a number whose exponent has more than 15 digits"
    }
  }
}
