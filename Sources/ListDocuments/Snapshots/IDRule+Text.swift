import ListModel

extension IDRule {
  /// The rule as one text, for a list to remember: a JSON array of its specifications.
  public var text: String {
    var writer = JSONWriter()
    writer.array { writer in for field in specifications { writer.string(field) } }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Reads what ``text`` wrote; nil when it is something else.
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
