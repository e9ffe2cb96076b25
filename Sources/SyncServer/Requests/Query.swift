/// The parameters of a request's address, each of which a route must know.
struct Query: Sendable {
  /// Those that may stand more than once.
  static let repeatable: Set = ["id"]

  private let values: [String: [String]]

  /// - Throws: `Problem` of type `invalid-request` when a parameter is not among `known`, stands twice,
  ///   or is not percent-encoded UTF-8.
  init(_ text: String?, known: [String]) throws(Problem) {
    var values: [String: [String]] = [:]
    for part in (text ?? "").split(separator: "&", omittingEmptySubsequences: true) {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decode(query: pair[0]),
        let value = PercentEncoding.decode(query: pair.count > 1 ? pair[1] : "")
      else { throw .invalid("the query is not percent-encoded UTF-8") }
      guard known.contains(name) else {
        let rest = known.isEmpty ? "there are none here" : "known: \(known.joined(separator: ", "))"
        throw .invalid("unknown parameter '\(name.shortened)'; \(rest)")
      }
      guard values[name] == nil || Self.repeatable.contains(name) else {
        throw .invalid("the parameter '\(name)' stands twice")
      }
      values[name, default: []].append(value)
    }
    self.values = values
  }

  subscript(_ name: String) -> String? { values[name]?.first }

  func all(_ name: String) -> [String] { values[name] ?? [] }

  /// What a parameter's text says.
  ///
  /// - Throws: `Problem` of type `invalid-request` when the text says nothing.
  func value<Value>(
    _ name: String, _ expected: String, _ read: (String) -> Value?
  ) throws(Problem) -> Value? {
    guard let text = self[name] else { return nil }
    guard let value = read(text) else {
      throw .invalid("\(name)=\(text.shortened) is not \(expected)")
    }
    return value
  }

  func number(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
    let expected = "a number from \(range.lowerBound) to \(range.upperBound)"
    return try value(name, expected) { text in
      guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int(text), range.contains(number)
      else { return nil }
      return number
    }
  }

  /// `true` or `false`; false where the parameter is absent.
  func flag(_ name: String) throws(Problem) -> Bool {
    try value(name, "true or false") { Bool($0) } ?? false
  }
}

extension String {
  /// As far as it fits a message.
  var shortened: String { utf8.count <= 100 ? self : String(prefix(100)) + "…" }
}
