extension ChangeSet {
  /// A step of DeepDiff's linear script; `from` is an index in the old list, `to` one in the new.
  public enum LinearStep {
    case delete(from: Int, element: Element)
    case insert(to: Int, element: Element)
    case replace(to: Int, old: Element, new: Element)
    case move(from: Int, to: Int)
  }

  /// This change set as DeepDiff words it: deletes ascending, then by new index an insert, or a
  /// replace and then a move.
  ///
  /// An item moves when its old index, less the deletes before it, plus the inserts before its new
  /// index, is not its new index. That is that library's rule, after P. Heckel, "A technique for
  /// isolating differences between files", 1978, and often names more moves than ``moved``, which
  /// are the fewest: 12345 to 15234 moves 5 here and 4 there. The rule asks only which item is
  /// which, so that the result is the same for any choice of moves.
  ///
  /// - Complexity: O(d log d + s) for d changes and a result of s steps; up to n of them are moves.
  public func linearSteps() -> [LinearStep] {
    var placed: [(to: Int, step: LinearStep)] = inserted.map {
      ($0.to, .insert(to: $0.to, element: $0.element))
    }
    placed += updated.map { ($0.to, .replace(to: $0.to, old: $0.old, new: $0.new)) }
    let moves = linearMoves
    placed += moves.map { ($0.to, .move(from: $0.from, to: $0.to)) }
    // Three ascending parts: the standard library's stable merge sort joins them in linear time,
    // and leaves a replace before the move of the same item.
    placed.sort { $0.to < $1.to }
    return removed.map { .delete(from: $0.from, element: $0.element) } + placed.map(\.step)
  }

  /// Ascending by `to`. No item within a run is removed or inserted, so that all items of a run are
  /// shifted by the same amount.
  private var linearMoves: [(from: Int, to: Int)] {
    var moves: [(from: Int, to: Int)] = []
    for run in Alignment(of: self).runs {
      let deletedBefore = removed.partitioningIndex { $0.from >= run.old }
      let insertedBefore = inserted.partitioningIndex { $0.to >= run.new }
      guard run.old - deletedBefore + insertedBefore != run.new else { continue }
      moves += (0..<run.count).map { (run.old + $0, run.new + $0) }
    }
    return moves
  }
}

extension ChangeSet.LinearStep: Equatable {}
extension ChangeSet.LinearStep: Sendable where Element: Sendable {}

extension ChangeSet.LinearStep: Encodable where Element: Encodable {
  /// An object of what is done, its indexes and its elements.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: StepKey.self)
    switch self {
    case .delete(let from, let element):
      try members.encode("delete", from: from)
      try members.encode(element, forKey: .element)
    case .insert(let to, let element):
      try members.encode("insert", to: to)
      try members.encode(element, forKey: .element)
    case .replace(let to, let old, let new):
      try members.encode("replace", to: to)
      try members.encode(old, forKey: .old)
      try members.encode(new, forKey: .new)
    case .move(let from, let to):
      try members.encode("move", from: from, to: to)
    }
  }
}
