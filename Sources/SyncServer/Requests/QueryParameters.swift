import ListModel

/// The parameters of a request's query. The route must know each of them.
struct QueryParameters: Sendable {
  /// The parameters that may occur more than once.
  static let repeatable: Set = ["id"]

  private let values: [String: [String]]

  /// - Throws: `Problem` of type `invalid-request` if a parameter is not in `known`, occurs twice,
  ///   or is not percent-encoded UTF-8.
  init(_ text: String?, known: [String]) throws(Problem) {
    var values: [String: [String]] = [:]
    for text in (text ?? "").split(separator: "&", omittingEmptySubsequences: true) {
      let pair = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decode(query: pair[0]),
        let value = PercentEncoding.decode(query: pair.count > 1 ? pair[1] : "")
      else { throw .invalid("the query is not percent-encoded UTF-8") }
      guard known.contains(name) else {
        let rest = known.isEmpty ? "there are none here" : "known: \(known.joined(separator: ", "))"
        throw .invalid("unknown parameter '\(name.shortened)'; \(rest)")
      }
      guard values[name] == nil || Self.repeatable.contains(name) else {
        throw .invalid("the parameter '\(name)' occurs twice")
      }
      values[name, default: []].append(value)
    }
    self.values = values
  }

  subscript(_ name: String) -> String? { values[name]?.first }

  func all(_ name: String) -> [String] { values[name] ?? [] }

  /// The value of a parameter; nil if the parameter is absent.
  ///
  /// - Parameters:
  ///   - expected: completes the message "NAME=TEXT is not …".
  ///   - read: returns nil for an invalid text.
  /// - Throws: `Problem` of type `invalid-request`.
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
      guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int(text), range.contains(number)
      else { return nil }
      return number
    }
  }

  /// `true` or `false`; false if the parameter is absent.
  func flag(_ name: String) throws(Problem) -> Bool {
    try value(name, "true or false") { Bool($0) } ?? false
  }
}
