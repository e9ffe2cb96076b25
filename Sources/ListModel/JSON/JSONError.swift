/// Why a text is not the JSON that was expected, and where.
public struct JSONError: Error, Equatable, Sendable {
  public enum Problem: Equatable, Sendable {
    /// Something else stands where a certain thing must.
    case expected(String, found: String)
    /// The text ends inside a value.
    case cutOff(expected: String)
    /// The bytes are not UTF-8 (RFC 3629).
    case notUTF8
    /// A string holds a control character that must be escaped.
    case controlCharacter(UInt8)
    /// `\u` names half of a surrogate pair, which no text can hold.
    case loneSurrogate
    /// An object names a member twice.
    case duplicateMember(String)
    /// A value is deeper, or longer, than a limit allows; or the list that it stands in.
    case limit(ExceededLimit)
    /// The exponent of a number has more digits than 15, as it stands or in canonical form.
    case exponentTooLarge
  }

  /// The index of the byte at fault, from the first one that was read.
  public let offset: Int
  public let problem: Problem

  public init(offset: Int, problem: Problem) {
    self.offset = offset
    self.problem = problem
  }
}

extension JSONError {
  /// The description for whoever expected JSON: what is too large may well be it.
  package var asReason: String {
    if case .limit = problem { "\(self)" } else { "not JSON: \(self)" }
  }
}

extension JSONError: CustomStringConvertible {
  public var description: String {
    switch problem {
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
