extension ChangeSet {
  /// A step of DeepDiff's linear script; `from` is an index in the old list, `to` one in the new.
  public enum LinearStep {
    case delete(from: Int, element: Element)
    case insert(to: Int, element: Element)
    case replace(to: Int, old: Element, new: Element)
    case move(from: Int, to: Int)
  }

  /// This change set in DeepDiff's form: deletes ascending; then, by new index, an insert, or a
  /// replace before a move.
  ///
  /// An item moves when its old index, less the deletes before it, plus the inserts before its new
  /// index, is not its new index. This rule of DeepDiff (after P. Heckel, "A technique for
  /// isolating differences between files", 1978) often gives more moves than ``moved``: 12345 to
  /// 15234 has 4 by the rule, and 1 in ``moved``. It depends only on which items are the same, so
  /// the result is equal for any choice of moves.
  ///
  /// - Complexity: O(d log d + s) for d changes and a result of s steps; up to n of them are moves.
  public func linearSteps() -> [LinearStep] {
    var placed: [(to: Int, step: LinearStep)] = inserted.map {
      ($0.to, .insert(to: $0.to, element: $0.element))
    }
    placed += updated.map { ($0.to, .replace(to: $0.to, old: $0.old, new: $0.new)) }
    // No item within a run is removed or inserted: all items of a run are shifted equally.
    for run in Alignment(of: self).runs {
      let deletedBefore = removed.partitioningIndex { $0.from >= run.old }
      let insertedBefore = inserted.partitioningIndex { $0.to >= run.new }
      guard run.old - deletedBefore + insertedBefore != run.new else { continue }
      placed += (0..<run.count).map {
        (run.new + $0, .move(from: run.old + $0, to: run.new + $0))
      }
    }
    // Three ascending sequences: the standard library's stable merge sort joins them in linear
    // time, and keeps a replace before the move of the same item.
    placed.sort { $0.to < $1.to }
    return removed.map { .delete(from: $0.from, element: $0.element) } + placed.map(\.step)
  }
}

extension ChangeSet.LinearStep {
  package var record: StepRecord<Element> {
    switch self {
    case .delete(let from, let element):
      StepRecord(action: "delete", from: from, element: element)
    case .insert(let to, let element): StepRecord(action: "insert", to: to, element: element)
    case .replace(let to, let old, let new):
      StepRecord(action: "replace", to: to, old: old, new: new)
    case .move(let from, let to): StepRecord(action: "move", from: from, to: to)
    }
  }
}

extension ChangeSet.LinearStep: Equatable {}
extension ChangeSet.LinearStep: Sendable where Element: Sendable {}
extension ChangeSet.LinearStep: Encodable where Element: Encodable {
  /// An object with the action, its indexes and its elements.
  public func encode(to encoder: any Encoder) throws { try record.encode(to: encoder) }
}
