import ListChanges
import ListModel

/// Decodes the names in recorded calls.
private func decoded<Value>(
  _ decoder: any Decoder, _ read: (String) -> Value?
) throws -> Value {
  let container = try decoder.singleValueContainer()
  guard let value = read(try container.decode(String.self)) else {
    throw DecodingError.dataCorruptedError(in: container, debugDescription: "not \(Value.self)")
  }
  return value
}

private func encode(_ value: some CustomStringConvertible, to encoder: any Encoder) throws {
  var container = encoder.singleValueContainer()
  try container.encode(value.description)
}

extension Cursor: Codable {
  public init(from decoder: any Decoder) throws { self = try decoded(decoder) { Cursor($0) } }
  public func encode(to encoder: any Encoder) throws {
    try StoreTestSupport.encode(self, to: encoder)
  }
}

extension Root: Codable {
  public init(from decoder: any Decoder) throws { self = try decoded(decoder) { Root($0) } }
  public func encode(to encoder: any Encoder) throws {
    try StoreTestSupport.encode(self, to: encoder)
  }
}

extension Version: Codable {
  public init(from decoder: any Decoder) throws {
    self = try decoded(decoder) { Version(text: $0) }
  }
  public func encode(to encoder: any Encoder) throws {
    try StoreTestSupport.encode(self, to: encoder)
  }
}

/// Names a change set: equal ones have equal digests.
package enum ChangeDigest {
  /// - Precondition: Every move has its id.
  package static func of(_ changes: ChangeSet<Item>) -> String {
    let text = "\(BareChanges(changes))"
    return Chain.zero.extended(
      to: .zero, root: .empty, note: CommitNote(time: TestStore.noon, message: text)
    ).hex
  }
}
