/// The errors of comparing lists, and of making and applying change sets.
public enum ListChangesError<ID: Hashable & Sendable>: Error, Equatable {
  // When lists are compared.

  /// Thrown when a list holds an id twice; both indexes are in that list.
  case duplicateID(ID, first: Int, second: Int, side: Side)

  /// Thrown when the caller cancelled the comparison.
  case cancelled

  // When a change set is made of arrays.

  /// Thrown when indexes are out of range, out of order or used twice, or counts do not add up.
  case invalid(ChangeSetViolation)

  // When a change set is applied.

  /// Thrown when the list has another number of items than the change set starts from.
  case countMismatch(expected: Int, found: Int)
  /// Thrown when the item at an index is not the one that the change set removes, moves or updates.
  case itemMismatch(index: Int, expected: ID)

  public enum Side: Sendable, Equatable { case old, new }
}

extension ListChangesError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .duplicateID(let id, let first, let second, let side):
      "item \(id) stands twice in the \(side) list, at \(first) and \(second)"
    case .cancelled: "the comparison was cancelled"
    case .invalid(let violation): violation.description
    case .countMismatch(let expected, let found):
      "the list has \(found) items, not the \(expected) that the changes start from"
    case .itemMismatch(let index, let expected): "the item at \(index) is not \(expected)"
    }
  }
}

/// The first rule that the arrays of a change set break.
public struct ChangeSetViolation: Error, Equatable, CustomStringConvertible {
  /// The name of the array at fault.
  public let array: String
  /// The index in that array; nil when no single change is at fault.
  public let position: Int?
  public let rule: String

  @usableFromInline
  init(_ array: String, at position: Int? = nil, _ rule: String) {
    self.array = array
    self.position = position
    self.rule = rule
  }

  public var description: String {
    position.map { "\(array)[\($0)]: \(rule)" } ?? "\(array): \(rule)"
  }
}
