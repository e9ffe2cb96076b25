/// A path into a JSON value (RFC 6901): `/address/city`, `/data/0`; empty for the whole value.
public struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
  public let tokens: [String]

  public init(tokens: [String]) { self.tokens = tokens }

  /// Nil when the text is neither empty nor starts with `/`, or has a `~` without `0` or `1` behind it.
  public init?(_ text: String) {
    guard !text.isEmpty else {
      tokens = []
      return
    }
    guard text.hasPrefix("/") else { return nil }
    var tokens: [String] = []
    for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let token = Self.unescape(part) else { return nil }
      tokens.append(token)
    }
    self.tokens = tokens
  }

  private static func unescape(_ part: Substring) -> String? {
    var token = ""
    var rest = part.unicodeScalars
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
