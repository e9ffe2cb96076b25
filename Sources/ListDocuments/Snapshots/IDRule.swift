import ListModel

/// Where the id of an item stands in its content.
public struct IDRule: Equatable, Sendable {
  /// Joins the parts of a compound id: U+001F, the unit separator, which no part may hold.
  public static let separator = "\u{1F}"
  /// The rule for lists that say nothing else: the member `id`.
  public static let standard = IDRule(specifications: ["id"], parts: [[Path(tokens: ["id"])]])

  /// The rule as it was written.
  public let specifications: [String]
  /// For each part of the id, the places where it may stand, the first that is there counting.
  /// Empty when an item is its own id.
  let parts: [Part]

  /// Alternative paths.
  typealias Part = [Path]

  /// A list of member names or array indexes.
  struct Path: Equatable, Sendable {
    let tokens: [String]
    /// The tokens as names of members are written in canonical content, to be looked for as bytes.
    let names: [[UInt8]]

    init(tokens: [String]) {
      self.tokens = tokens
      names = tokens.map { token in
        var name: [UInt8] = []
        CanonicalString.append(quoted: token, to: &name)
        return name
      }
    }
  }

  private init(specifications: [String], parts: [Part]) {
    self.specifications = specifications
    self.parts = parts
  }

  /// Reads a rule: each specification is a member name, or a JSON Pointer (`/properties/code`), or
  /// several of them with `|` between (a `|` inside a name is written `\|`); several specifications
  /// make a compound id. The single specification `.` means that items are bare strings.
  ///
  /// - Throws: `IDRuleError` when a specification is empty, a pointer is malformed, or `.` is not
  ///   alone.
  public init(_ specifications: [String]) throws(IDRuleError) {
    guard !specifications.isEmpty else { throw .empty }
    if specifications == ["."] {
      self.init(specifications: specifications, parts: [])
      return
    }
    var parts: [Part] = []
    for specification in specifications {
      var part: Part = []
      for alternative in Self.alternatives(in: specification) {
        part.append(try Self.path(alternative))
      }
      parts.append(part)
    }
    self.init(specifications: specifications, parts: parts)
  }

  private static func path(_ text: String) throws(IDRuleError) -> Path {
    if text.isEmpty { throw .empty }
    if text == "." { throw .notAlone }
    // By scalars: a slash and a combining mark behind it are one Character.
    guard text.unicodeScalars.first == "/" else { return Path(tokens: [text]) }
    guard let pointer = JSONPointer(text) else { throw .malformedPointer(text) }
    return Path(tokens: pointer.tokens)
  }

  private static func alternatives(in text: String) -> [String] {
    var result = [""]
    var isEscaped = false
    // By scalars: a bar and a combining mark behind it are one Character.
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\" where !isEscaped:
        isEscaped = true
        continue
      case "|" where !isEscaped: result.append("")
      case "|": result[result.count - 1] += "|"
      default: result[result.count - 1] += isEscaped ? "\\\(scalar)" : String(scalar)
      }
      isEscaped = false
    }
    if isEscaped { result[result.count - 1].append("\\") }
    return result
  }

  public var isItself: Bool { parts.isEmpty }
}

public enum IDRuleError: Error, Equatable, Sendable {
  /// Thrown when no field is named, or an empty one.
  case empty
  /// Thrown when `.` stands beside other fields.
  case notAlone
  /// Thrown when a field starts with `/` and is no JSON Pointer (RFC 6901).
  case malformedPointer(String)
}

extension IDRule {
  /// Why an item has no id by this rule.
  public enum Problem: Equatable, Sendable {
    /// None of the part's alternatives is there; or null is.
    case missing(field: String)
    /// The value is neither a string nor a number.
    case unsuitable(field: String, kind: String)
    /// The id, or a part of it, is the empty string.
    case empty(field: String)
    /// A part of a compound id holds the separator.
    case holdsSeparator(field: String)
  }

  /// The id of an item.
  ///
  /// A string stands for itself, a number for its canonical form.
  func id(of content: Content) throws(IDProblem) -> ItemID {
    let view = ContentView(content)
    if isItself { return try checked(text(of: view, field: "."), field: ".") }
    if parts.count == 1 { return try checked(part(0, of: view), field: specifications[0]) }
    var texts: [String] = []
    for index in parts.indices {
      let text = try part(index, of: view)
      guard !text.isEmpty else { throw IDProblem(.empty(field: specifications[index])) }
      guard !text.contains(Self.separator) else {
        throw IDProblem(.holdsSeparator(field: specifications[index]))
      }
      texts.append(text)
    }
    return ItemID(texts.joined(separator: Self.separator))
  }

  private func checked(_ text: String, field: String) throws(IDProblem) -> ItemID {
    guard !text.isEmpty else { throw IDProblem(.empty(field: field)) }
    return ItemID(text)
  }

  private func part(_ index: Int, of view: ContentView) throws(IDProblem) -> String {
    let field = specifications[index]
    for path in parts[index] {
      if let value = view.value(at: path), value.kind != .null {
        return try text(of: value, field: field)
      }
    }
    throw IDProblem(.missing(field: field))
  }

  private func text(of value: ContentView, field: String) throws(IDProblem) -> String {
    guard let text = value.scalarText else {
      throw IDProblem(.unsuitable(field: field, kind: value.kind.rawValue))
    }
    return text
  }

  /// Carries a problem as an error.
  struct IDProblem: Error {
    let problem: Problem
    init(_ problem: Problem) { self.problem = problem }
  }
}

extension ContentView {
  /// The value at a path of member names and array indexes; nil when there is none.
  func value(at path: IDRule.Path) -> ContentView? {
    var view = self
    for (token, name) in zip(path.tokens, path.names) {
      guard let next = view.child(token, name) else { return nil }
      view = next
    }
    return view
  }

  private func child(_ token: String, _ name: [UInt8]) -> ContentView? {
    guard kind == .array else { return member(canonicalName: name) }
    let list = elements
    guard let index = JSONPointer.arrayIndex(token), index < list.count else { return nil }
    return list[index]
  }
}

extension JSONPointer {
  /// The array index that a token names: 0, or digits of which the first is not 0 (RFC 6901,
  /// section 4); nil for any other token.
  static func arrayIndex(_ token: String) -> Int? {
    guard let index = Int(token), index >= 0, String(index) == token else { return nil }
    return index
  }
}
