/// The fewest deletions, insertions and substitutions that turn one list into another; elements
/// need no id and may repeat.
///
/// A change set identifies items and moves them; an edit script compares elements by `==` only, as
/// a text editor does:
///
///     old   k  i  t             delete      an index in the old list
///              │                insert      an index in the new list
///     new   k  a  t             substitute  1 in the old and 1 in the new list
///
/// ``Swift/Collection/editScript(to:)`` makes it, and defines which of equally short scripts it is.
public struct EditScript<Element> {
  public enum Step {
    /// Removes the element at an index of the old list.
    case delete(from: Int, element: Element)
    /// Inserts an element at an index of the new list.
    case insert(to: Int, element: Element)
    /// Replaces the element at an index of the old list by the one at an index of the new.
    case substitute(from: Int, to: Int, old: Element, new: Element)
  }

  /// The number of elements in the old list.
  public let oldCount: Int
  /// The number of elements in the new list.
  public let newCount: Int
  /// In the order of both lists: old indexes ascend, and so do new ones.
  public let steps: [Step]

  /// The number of steps, which is the distance of the two lists; 0 exactly when they are equal.
  public var count: Int { steps.count }

  public var isEmpty: Bool { steps.isEmpty }
}

/// The errors of applying an edit script.
public enum EditScriptError: Error, Equatable, Sendable {
  /// Thrown when the list has another number of elements than the script starts from.
  case countMismatch(expected: Int, found: Int)
  /// Thrown when the element at an index is not the one that the script deletes or replaces there.
  case elementMismatch(index: Int)
}

extension Collection where Element: Equatable {
  /// Makes the new list from this, the old one.
  ///
  /// - Throws: `EditScriptError` when the script's steps show that it starts from another list.
  /// - Complexity: O(n + d) for a list of n elements and d steps.
  public func applying(_ script: EditScript<Element>) throws(EditScriptError) -> [Element] {
    let old = Array(self)
    guard old.count == script.oldCount else {
      throw .countMismatch(expected: script.oldCount, found: old.count)
    }
    var result: [Element] = []
    result.reserveCapacity(script.newCount)
    var next = 0
    func skip(_ element: Element, at index: Int) throws(EditScriptError) {
      // An element that does not equal itself, such as a NaN, cannot be compared.
      guard old[index] == element || element != element else {
        throw .elementMismatch(index: index)
      }
      result += old[next..<index]
      next = index + 1
    }
    for step in script.steps {
      switch step {
      case .delete(let from, let element):
        try skip(element, at: from)
      case .insert(let to, let element):
        let kept = to - result.count
        result += old[next..<next + kept]
        next += kept
        result.append(element)
      case .substitute(let from, _, let element, let new):
        try skip(element, at: from)
        result.append(new)
      }
    }
    return result + old[next...]
  }
}

extension EditScript: Equatable where Element: Equatable {}
extension EditScript: Hashable where Element: Hashable {}
extension EditScript: Sendable where Element: Sendable {}
extension EditScript.Step: Equatable where Element: Equatable {}
extension EditScript.Step: Hashable where Element: Hashable {}
extension EditScript.Step: Sendable where Element: Sendable {}

extension EditScript: Encodable where Element: Encodable {}
extension EditScript.Step: Encodable where Element: Encodable {
  /// An object with the action, its indexes and its elements.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .delete(let from, let element):
      try StepRecord(action: "delete", from: from, element: element).encode(to: encoder)
    case .insert(let to, let element):
      try StepRecord(action: "insert", to: to, element: element).encode(to: encoder)
    case .substitute(let from, let to, let old, let new):
      try StepRecord(action: "substitute", from: from, to: to, old: old, new: new)
        .encode(to: encoder)
    }
  }
}
