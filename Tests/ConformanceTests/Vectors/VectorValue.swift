import ListDocuments

/// A value of a vector. Its members keep their order; contents are texts, so that no reader of JSON
/// changes their numbers.
enum VectorValue {
  case text(String)
  case number(Int)
  case seconds(Double)
  case flag(Bool)
  case null
  case list([VectorValue])
  case members([(name: String, value: VectorValue)])

  /// The text, or null.
  static func optional(_ text: String?) -> VectorValue { text.map { .text($0) } ?? .null }

  static func texts(_ texts: [String]) -> VectorValue { .list(texts.map { .text($0) }) }
}

extension VectorValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral text: String) { self = .text(text) }
  init(integerLiteral number: Int) { self = .number(number) }
  init(booleanLiteral flag: Bool) { self = .flag(flag) }
  init(arrayLiteral elements: VectorValue...) { self = .list(elements) }
  init(dictionaryLiteral members: (String, VectorValue)...) {
    self = .members(members.map { (name: $0, value: $1) })
  }
}

extension JSONWriter {
  mutating func write(_ value: VectorValue) {
    switch value {
    case .text(let text): string(text)
    case .number(let number): raw(String(number))
    case .seconds(let seconds): raw(String(seconds))
    case .flag(let flag): raw(flag ? "true" : "false")
    case .null: raw("null")
    case .list(let elements): array { for element in elements { $0.write(element) } }
    case .members(let members):
      object { writer in
        for member in members {
          writer.name(member.name)
          writer.write(member.value)
        }
      }
    }
  }
}
