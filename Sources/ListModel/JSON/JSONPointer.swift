/// A path into a JSON value (RFC 6901): `/address/city`, `/data/0`; empty for the whole value.
///
/// Compared by UTF-8 bytes, like the names of members: composed and decomposed "é" are two members.
public struct JSONPointer: Sendable, CustomStringConvertible {
  public let tokens: [String]

  public init(tokens: [String]) { self.tokens = tokens }

  /// Nil when the text is neither empty nor starts with `/`, or has a `~` not followed by `0` or
  /// `1`.
  public init?(_ text: String) {
    guard !text.isEmpty else {
      tokens = []
      return
    }
    // Scalars, not characters: a combining mark after a slash starts a token.
    guard text.unicodeScalars.first == "/" else { return nil }
    let parts = text.unicodeScalars.dropFirst()
      .split(separator: "/", omittingEmptySubsequences: false)
    var tokens: [String] = []
    for part in parts {
      guard let token = Self.unescape(part) else { return nil }
      tokens.append(token)
    }
    self.tokens = tokens
  }

  private static func unescape(_ part: Substring.UnicodeScalarView) -> String? {
    var token = ""
    var rest = part
    while let scalar = rest.popFirst() {
      guard scalar == "~" else {
        token.unicodeScalars.append(scalar)
        continue
      }
      switch rest.popFirst() {
      case "0": token += "~"
      case "1": token += "/"
      default: return nil
      }
    }
    return token
  }

  /// The array index that a token names: 0, or digits of which the first is not 0 (RFC 6901,
  /// section 4); nil for any other token.
  package static func arrayIndex(_ token: String) -> Int? {
    guard let index = Int(token), index >= 0, String(index) == token else { return nil }
    return index
  }

  /// Whether a path is this one, or leads into the value at this one.
  public func holds(_ path: JSONPointer) -> Bool {
    path.tokens.count >= tokens.count
      && JSONPointer(tokens: Array(path.tokens.prefix(tokens.count))) == self
  }

  public func appending(_ token: String) -> JSONPointer { JSONPointer(tokens: tokens + [token]) }

  public var description: String {
    tokens.map { token in
      var text = "/"
      for scalar in token.unicodeScalars {
        switch scalar {
        case "~": text += "~0"
        case "/": text += "~1"
        default: text.unicodeScalars.append(scalar)
        }
      }
      return text
    }.joined()
  }
}

extension JSONPointer: Hashable {
  public static func == (a: JSONPointer, b: JSONPointer) -> Bool {
    a.tokens.elementsEqual(b.tokens) { $0.utf8.elementsEqual($1.utf8) }
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(tokens.map { Array($0.utf8) }) }
}
