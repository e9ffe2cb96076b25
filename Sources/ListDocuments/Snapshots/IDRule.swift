import ListModel

/// The place of the id in an item's content.
public struct IDRule: Equatable, Sendable {
  /// Joins the fields of a compound id: U+001F, the unit separator, which no field may contain.
  public static let separator = "\u{1F}"
  /// The default rule: the member `id`.
  public static let standard = IDRule(specifications: ["id"], fields: [[Path(tokens: ["id"])]])

  /// The rule as it was written.
  public let specifications: [String]
  /// The alternative paths of each field of the id; the first that exists counts. Empty when an
  /// item is its own id.
  let fields: [[Path]]
  /// The canonical name of the member that alone is the id; nil for another rule.
  private let member: [UInt8]?

  /// A list of member names or array indexes.
  struct Path: Equatable, Sendable {
    let tokens: [String]
    /// The tokens as canonical names of members, to be found as bytes.
    let names: [[UInt8]]

    init(tokens: [String]) {
      self.tokens = tokens
      names = tokens.map { CanonicalString.quoted($0) }
    }
  }

  private init(specifications: [String], fields: [[Path]]) {
    self.specifications = specifications
    self.fields = fields
    let isMember = fields.count == 1 && fields[0].count == 1 && fields[0][0].names.count == 1
    member = isMember ? fields[0][0].names[0] : nil
  }

  /// Reads a rule: each specification is a member name, or a JSON Pointer (`/properties/code`), or
  /// several of them separated by `|` (a `|` inside a name is written `\|`); several specifications
  /// make a compound id. The single specification `.` means that items are bare strings.
  ///
  /// - Throws: `IDRuleError` when a specification is empty, a pointer is malformed, or `.` is not
  ///   alone.
  public init(_ specifications: [String]) throws(IDRuleError) {
    guard !specifications.isEmpty else { throw .empty }
    if specifications == ["."] {
      self.init(specifications: specifications, fields: [])
      return
    }
    var fields: [[Path]] = []
    for specification in specifications {
      var paths: [Path] = []
      for alternative in Self.alternatives(in: specification) {
        paths.append(try Self.path(alternative))
      }
      fields.append(paths)
    }
    self.init(specifications: specifications, fields: fields)
  }

  private static func path(_ text: String) throws(IDRuleError) -> Path {
    if text.isEmpty { throw .empty }
    if text == "." { throw .notAlone }
    // By scalars: a slash and a combining mark after it are one Character.
    guard text.unicodeScalars.first == "/" else { return Path(tokens: [text]) }
    guard let pointer = JSONPointer(text) else { throw .malformedPointer(text) }
    return Path(tokens: pointer.tokens)
  }

  private static func alternatives(in text: String) -> [String] {
    var result = [""]
    var isEscaped = false
    // By scalars: a bar and a combining mark after it are one Character.
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

  /// Whether items are bare strings, and so their own ids.
  public var isItself: Bool { fields.isEmpty }
}

public enum IDRuleError: Error, Equatable, Sendable {
  /// Thrown when no field is named, or an empty one.
  case empty
  /// Thrown when `.` is combined with other fields.
  case notAlone
  /// Thrown when a field starts with `/` and is no JSON Pointer (RFC 6901).
  case malformedPointer(String)
}

extension IDRule {
  /// The reason for which an item has no id by this rule.
  public enum Failure: Error, Equatable, Sendable {
    /// All alternatives of the field are absent or null.
    case missing(field: String)
    /// The value is neither a string nor a number.
    case unsuitable(field: String, kind: String)
    /// The id, or a field of it, is the empty string.
    case empty(field: String)
    /// A field of a compound id contains the separator.
    case holdsSeparator(field: String)
  }

  /// The id of an item.
  ///
  /// A string is used as it is, a number in its canonical form.
  func id(of content: Content) throws(Failure) -> ItemID {
    let view = ContentView(content)
    if let member, let value = view.member(canonicalName: member), value.kind != .null {
      return try checked(text(of: value, field: specifications[0]), field: specifications[0])
    }
    if isItself { return try checked(text(of: view, field: "."), field: ".") }
    if fields.count == 1 { return try checked(text(0, of: view), field: specifications[0]) }
    var texts: [String] = []
    for index in fields.indices {
      let text = try text(index, of: view)
      guard !text.isEmpty else { throw .empty(field: specifications[index]) }
      guard !text.contains(Self.separator) else {
        throw .holdsSeparator(field: specifications[index])
      }
      texts.append(text)
    }
    return ItemID(texts.joined(separator: Self.separator))
  }

  private func checked(_ text: String, field: String) throws(Failure) -> ItemID {
    guard !text.isEmpty else { throw .empty(field: field) }
    return ItemID(text)
  }

  private func text(_ index: Int, of view: ContentView) throws(Failure) -> String {
    let field = specifications[index]
    for path in fields[index] {
      if let value = view.value(at: path), value.kind != .null {
        return try text(of: value, field: field)
      }
    }
    throw .missing(field: field)
  }

  private func text(of value: ContentView, field: String) throws(Failure) -> String {
    guard let text = value.scalarText else {
      throw .unsuitable(field: field, kind: value.kind.rawValue)
    }
    return text
  }
}

extension ContentView {
  /// The value at a path of member names and array indexes; nil if absent.
  func value(at path: IDRule.Path) -> ContentView? {
    var view = self
    for (token, name) in zip(path.tokens, path.names) {
      guard let next = view.child(token, canonicalName: name) else { return nil }
      view = next
    }
    return view
  }
}

extension IDRule {
  /// The rule as one text, for a list to remember: a JSON array of its specifications.
  public var text: String {
    var writer = JSONWriter()
    writer.array { writer in for field in specifications { writer.string(field) } }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// The fields as people read them: `'code'`, or `'Title' and 'Year'`.
  package var words: String {
    specifications.map { "'\($0.shortened)'" }.joined(separator: " and ")
  }

  /// Reads the result of ``text``; nil for any other text.
  public init?(text: String) {
    guard let content = try? Content(json: text) else { return nil }
    let elements = ContentView(content).elements
    let specifications = elements.compactMap { $0.kind == .string ? $0.scalarText : nil }
    guard specifications.count == elements.count, let rule = try? IDRule(specifications) else {
      return nil
    }
    self = rule
  }
}
