/// A change set as operations of RFC 6902, JSON Patch, on the array of items. Each operation is
/// valid on the array as the operations before it leave it.
///
/// So an index means something else after each operation, unlike in most other renderings: after
/// `move(from: 3, to: 0)` the item that was at 0 is at 1.
public struct JSONPatch<Value> {
  public enum Operation {
    case remove(at: Int)
    /// Removes the element at one index and inserts it at the other of the rest (RFC 6902, 4.4).
    case move(from: Int, to: Int)
    /// Inserts a value before the one at an index, or at the end (RFC 6902, 4.1).
    case add(Value, at: Int)
    case replace(Value, at: Int)
  }

  public let operations: [Operation]

  /// The patch with every value in another form, such as JSON text.
  public func map<Other, Failure: Error>(
    _ transform: (Value) throws(Failure) -> Other
  ) throws(Failure) -> JSONPatch<Other> {
    var result: [JSONPatch<Other>.Operation] = []
    result.reserveCapacity(operations.count)
    for operation in operations {
      switch operation {
      case .remove(let index): result.append(.remove(at: index))
      case .move(let from, let to): result.append(.move(from: from, to: to))
      case .add(let value, let index): result.append(.add(try transform(value), at: index))
      case .replace(let value, let index): result.append(.replace(try transform(value), at: index))
      }
    }
    return JSONPatch<Other>(operations: result)
  }
}

/// The members of an operation's JSON object.
extension JSONPatch.Operation {
  public var op: String {
    switch self {
    case .remove: "remove"
    case .move: "move"
    case .add: "add"
    case .replace: "replace"
    }
  }

  /// A JSON Pointer (RFC 6901) into the array, such as `/3`.
  public var path: String {
    switch self {
    case .remove(let index), .move(_, let index), .add(_, let index), .replace(_, let index):
      "/\(index)"
    }
  }

  /// A JSON Pointer; nil except in a move.
  public var from: String? {
    if case .move(let from, _) = self { "/\(from)" } else { nil }
  }

  /// Nil except in an add and a replace.
  public var value: Value? {
    switch self {
    case .remove, .move: nil
    case .add(let value, _), .replace(let value, _): value
    }
  }
}

extension JSONPatch: Equatable where Value: Equatable {}
extension JSONPatch: Sendable where Value: Sendable {}
extension JSONPatch.Operation: Equatable where Value: Equatable {}
extension JSONPatch.Operation: Sendable where Value: Sendable {}

extension JSONPatch: Encodable where Value: Encodable {
  /// The array of operations that RFC 6902 calls a patch.
  public func encode(to encoder: any Encoder) throws { try operations.encode(to: encoder) }
}

extension JSONPatch.Operation: Encodable where Value: Encodable {
  private enum Key: CodingKey { case op, from, path, value }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Key.self)
    try members.encode(op, forKey: .op)
    try members.encodeIfPresent(from, forKey: .from)
    try members.encode(path, forKey: .path)
    if let value { try members.encode(value, forKey: .value) }
  }
}

extension ChangeSet {
  /// One operation for each change: removes descending, moves and adds ascending by their final
  /// index, then replaces at new indexes; the order of ``sequentialSteps()``.
  ///
  /// - Complexity: O(d log d) for d changes.
  public func jsonPatch() -> JSONPatch<Element> {
    var operations: [JSONPatch<Element>.Operation] = removed.reversed().map {
      .remove(at: $0.from)
    }
    operations += sequentialMoves().map { .move(from: $0.from, to: $0.to) }
    operations += inserted.map { .add($0.element, at: $0.to) }
    operations += updated.map { .replace($0.new, at: $0.to) }
    return JSONPatch(operations: operations)
  }
}
