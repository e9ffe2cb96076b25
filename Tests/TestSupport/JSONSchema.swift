import Foundation

/// The part of JSON Schema that `openapi.json` and `CommandLine.schema.json` use; any other keyword
/// is a fault.
public struct JSONSchema: Sendable {
  /// The document that references point into.
  public let root: JSONValue

  public init(root: JSONValue) { self.root = root }

  /// The faults of a value, with their places; empty if there are none.
  public func faults(of value: JSONValue, by schema: JSONValue, at place: String = "") -> [String] {
    guard case .object(let keywords) = schema else { return ["\(place): the schema is no object"] }
    return keywords.flatMap { faults(of: value, by: $0, $1, in: schema, at: place) }
  }

  /// The value that a reference such as `#/components/schemas/State` names.
  public func resolve(_ value: JSONValue) -> JSONValue {
    guard let reference = value["$ref"]?.text else { return value }
    let names = reference.split(separator: "/").dropFirst().map(String.init)
    return names.reduce(root as JSONValue?) { $0?[$1] } ?? .null
  }

  private func faults(
    of value: JSONValue, by keyword: String, _ argument: JSONValue, in schema: JSONValue,
    at place: String
  ) -> [String] {
    switch keyword {
    case "$ref": return faults(of: value, by: resolve(schema), at: place)
    case "allOf":
      return (argument.elements ?? []).flatMap { faults(of: value, by: $0, at: place) }
    case "anyOf":
      let found = (argument.elements ?? []).map { faults(of: value, by: $0, at: place) }
      return found.contains { $0.isEmpty } ? [] : found.min { $0.count < $1.count } ?? []
    case "items":
      return (value.elements ?? []).enumerated().flatMap { index, element in
        faults(of: element, by: argument, at: "\(place)/\(index)")
      }
    case "properties":
      guard case .object(let members) = value, case .object(let schemas) = argument else {
        return []
      }
      return schemas.flatMap { name, schema in
        members[name].map { faults(of: $0, by: schema, at: "\(place)/\(name)") } ?? []
      }
    case "unevaluatedProperties" where argument == .bool(false):
      return unknown(in: value, names: properties(of: schema, for: value), place)
    default:
      if let isMet = isMet(value, keyword, argument) {
        return isMet ? [] : ["\(place): \(value) breaks \(keyword) \(argument)"]
      }
      return ["\(place): the schema uses \(keyword)"]
    }
  }

  private func unknown(in value: JSONValue, names: [String], _ place: String) -> [String] {
    Set(value.members.keys).subtracting(names).map { "\(place): the schema has no \($0)" }
  }

  /// The names of the members that a schema describes for a value, itself or by other schemas.
  private func properties(of schema: JSONValue, for value: JSONValue) -> [String] {
    let branches = (schema["anyOf"]?.elements ?? []).filter { faults(of: value, by: $0).isEmpty }
    let parts =
      (schema["$ref"].map { _ in [resolve(schema)] } ?? []) + (schema["allOf"]?.elements ?? [])
      + branches
    return parts.flatMap { properties(of: $0, for: value) }
      + (schema["properties"]?.members.keys.map { $0 } ?? [])
  }

  /// Nil for an unknown keyword.
  private func isMet(_ value: JSONValue, _ keyword: String, _ argument: JSONValue) -> Bool? {
    switch keyword {
    case "title", "description", "examples", "default", "format": true
    case "type":
      (argument.elements ?? [argument]).contains { $0.text.map(value.has(type:)) ?? false }
    case "const": value == argument
    case "enum": argument.elements?.contains(value) ?? false
    case "required":
      hasMembers(value, argument)
    case "dependentRequired":
      argument.members.allSatisfy { value[$0] == nil || hasMembers(value, $1) }
    case "minimum": value.number.map { $0 >= argument.number ?? 0 } ?? true
    case "maximum": value.number.map { $0 <= argument.number ?? 0 } ?? true
    case "minLength":
      value.text.map { Double($0.unicodeScalars.count) >= argument.number ?? 0 } ?? true
    case "pattern":
      value.text.map { text in
        text.range(of: argument.text ?? "", options: .regularExpression) != nil
      } ?? true
    default: nil
    }
  }

  private func hasMembers(_ value: JSONValue, _ names: JSONValue) -> Bool {
    guard case .object(let members) = value else { return true }
    return (names.elements ?? []).allSatisfy { $0.text.map { members[$0] != nil } ?? false }
  }
}

extension JSONValue {
  fileprivate func has(type: String) -> Bool {
    switch self {
    case .null: type == "null"
    case .bool: type == "boolean"
    case .number(let number): type == "number" || type == "integer" && number.rounded() == number
    case .string: type == "string"
    case .array: type == "array"
    case .object: type == "object"
    }
  }
}
