extension JSONSchema {
  /// The same schema, but an object may have no member that it does not describe.
  ///
  /// A published schema is open, since newer versions may add members. This one judges the answers
  /// of its own version.
  public var strict: JSONSchema { JSONSchema(root: Self.strict(root)) }

  /// A schema for a value of its own, such as a member. A definition is no such schema: another one
  /// may refer to it and add members.
  public static func closed(_ schema: JSONValue) -> JSONValue {
    let schema = strict(schema)
    guard case .object(var keywords) = schema,
      ["properties", "$ref", "allOf", "anyOf"].contains(where: { keywords[$0] != nil })
    else { return schema }
    keywords["unevaluatedProperties"] = .bool(false)
    return .object(keywords)
  }

  private static func strict(_ schema: JSONValue) -> JSONValue {
    guard case .object(var keywords) = schema else { return schema }
    for (keyword, argument) in keywords {
      switch keyword {
      case "items": keywords[keyword] = closed(argument)
      case "properties": keywords[keyword] = .object(argument.members.mapValues(closed))
      case "$defs": keywords[keyword] = .object(argument.members.mapValues(strict))
      case "anyOf", "allOf": keywords[keyword] = .array((argument.elements ?? []).map(strict))
      default: break
      }
    }
    return .object(keywords)
  }
}
