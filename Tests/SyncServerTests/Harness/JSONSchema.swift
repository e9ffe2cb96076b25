import Foundation
import TestSupport

/// The part of JSON Schema that `openapi.json` uses; any other keyword is a fault.
struct JSONSchema {
  /// The document that references point into.
  let root: JSONValue

  /// The faults of a value, with their places; empty if there are none.
  func faults(of value: JSONValue, by schema: JSONValue, at place: String = "") -> [String] {
    guard case .object(let keywords) = schema else { return ["\(place): the schema is no object"] }
    return keywords.flatMap { faults(of: value, by: $0, $1, in: schema, at: place) }
  }

  /// The value that a reference such as `#/components/schemas/State` names.
  func resolve(_ value: JSONValue) -> JSONValue {
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
    default:
      if let isMet = isMet(value, keyword, argument) {
        return isMet ? [] : ["\(place): \(value) breaks \(keyword) \(argument)"]
      }
      return ["\(place): the schema uses \(keyword)"]
    }
  }

  /// Nil for an unknown keyword.
  private func isMet(_ value: JSONValue, _ keyword: String, _ argument: JSONValue) -> Bool? {
    switch keyword {
    case "description", "examples", "default", "format": true
    case "type":
      (argument.elements ?? [argument]).contains { $0.text.map(value.has(type:)) ?? false }
    case "const": value == argument
    case "enum": argument.elements?.contains(value) ?? false
    case "required":
      (argument.elements ?? []).allSatisfy { $0.text.map { value[$0] != nil } ?? false }
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

  var members: [String: JSONValue] {
    if case .object(let members) = self { members } else { [:] }
  }
}
