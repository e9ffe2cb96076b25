/// A simple second implementation of RFC 6902 that judges the patches of this project.
public enum JSONPatchInterpreter {
  public struct Refusal: Error, CustomStringConvertible {
    public let description: String
  }

  /// Applies a patch document, which is an array of operation objects.
  public static func apply(_ patch: JSONValue, to document: JSONValue) throws -> JSONValue {
    guard let operations = patch.elements else {
      throw Refusal(description: "a patch is an array")
    }
    return try operations.reduce(document) { try apply(operation: $1, to: $0) }
  }

  private static func apply(
    operation: JSONValue, to document: JSONValue
  ) throws -> JSONValue {
    let path = try pointer(in: operation, "path")
    switch operation["op"]?.text {
    case "add":
      return try document.adding(value(of: operation), at: path)
    case "remove":
      return try document.removing(at: path)
    case "replace":
      _ = try document.value(at: path)
      if path.isEmpty { return try value(of: operation) }
      return try document.removing(at: path).adding(value(of: operation), at: path)
    case "move":
      let from = try pointer(in: operation, "from")
      return try document.removing(at: from).adding(document.value(at: from), at: path)
    case "copy":
      return try document.adding(document.value(at: pointer(in: operation, "from")), at: path)
    case "test":
      guard try document.value(at: path) == value(of: operation) else {
        throw Refusal(description: "test failed at \(path)")
      }
      return document
    default:
      throw Refusal(description: "no such op: \(String(describing: operation["op"]))")
    }
  }

  private static func value(of operation: JSONValue) throws -> JSONValue {
    guard let value = operation["value"] else { throw Refusal(description: "no value") }
    return value
  }

  /// The tokens of a JSON Pointer (RFC 6901), unescaped.
  private static func pointer(
    in operation: JSONValue, _ name: String
  ) throws -> ArraySlice<String> {
    guard let text = operation[name]?.text else { throw Refusal(description: "no \(name)") }
    guard text.isEmpty || text.hasPrefix("/") else {
      throw Refusal(description: "\(text) is no JSON Pointer")
    }
    return text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
      String($0).replacing("~1", with: "/").replacing("~0", with: "~")
    }[...]
  }
}

extension JSONValue {
  private typealias Refusal = JSONPatchInterpreter.Refusal

  fileprivate func value(at path: ArraySlice<String>) throws -> JSONValue {
    guard let token = path.first else { return self }
    return try child(token).value(at: path.dropFirst())
  }

  private func child(_ token: String) throws -> JSONValue {
    switch self {
    case .array(let elements):
      return elements[try Self.index(token, below: elements.count)]
    case .object(let members):
      guard let member = members[token] else { throw Refusal(description: "no member \(token)") }
      return member
    default:
      throw Refusal(description: "\(token) leads into a scalar")
    }
  }

  fileprivate func adding(_ value: JSONValue, at path: ArraySlice<String>) throws -> JSONValue {
    guard let token = path.first else { return value }
    if path.count > 1 {
      return try replacingChild(token, by: child(token).adding(value, at: path.dropFirst()))
    }
    switch self {
    case .array(var elements):
      let end = elements.count
      elements.insert(value, at: token == "-" ? end : try Self.index(token, below: end + 1))
      return .array(elements)
    case .object(var members):
      members[token] = value
      return .object(members)
    default:
      throw Refusal(description: "\(token) leads into a scalar")
    }
  }

  fileprivate func removing(at path: ArraySlice<String>) throws -> JSONValue {
    guard let token = path.first else { return .null }
    let child = try child(token)
    if path.count > 1 {
      return replacingChild(token, by: try child.removing(at: path.dropFirst()))
    }
    return replacingChild(token, by: nil)
  }

  /// - Precondition: The child exists.
  private func replacingChild(_ token: String, by value: JSONValue?) -> JSONValue {
    switch self {
    case .array(var elements):
      guard let index = Int(token) else { return self }
      elements.replaceSubrange(index...index, with: value.map { [$0] } ?? [])
      return .array(elements)
    case .object(var members):
      members[token] = value
      return .object(members)
    default: return self
    }
  }

  /// An array index as RFC 6901 spells it: digits without leading zeros.
  private static func index(_ token: String, below end: Int) throws -> Int {
    guard let index = Int(token), String(index) == token, (0..<end).contains(index) else {
      throw Refusal(description: "\(token) is no index below \(end)")
    }
    return index
  }
}
