import Foundation

/// A JSON value for comparison in tests: members have no order, numbers no spelling.
public enum JSONValue: Equatable, Sendable, Decodable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let array = try? value.decode([JSONValue].self) {
      self = .array(array)
    } else {
      self = .object(try value.decode([String: JSONValue].self))
    }
  }

  public init(parsing bytes: some Sequence<UInt8>) throws {
    self = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
  }

  public subscript(_ name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  public var text: String? { if case .string(let text) = self { text } else { nil } }

  public var number: Double? { if case .number(let number) = self { number } else { nil } }

  /// Those of an object; none of another value.
  public var members: [String: JSONValue] {
    if case .object(let members) = self { members } else { [:] }
  }

  public var elements: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }
}
