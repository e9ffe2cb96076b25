/// One change of order or number by index, like Lukas Z's `ArrayAction` ("Calculating the Deltas
/// for performBatchUpdates", 2019). All actions of a list belong into one batch.
public enum ArrayAction: Hashable, Sendable {
  /// An index in the new list.
  case added(Int)
  /// An index in the old list.
  case deleted(Int)
  /// An index in the old list and one in the new list.
  case moved(Int, Int)
}

extension ArrayAction: Encodable {
  package var record: StepRecord<Int> {
    switch self {
    case .added(let to): StepRecord(action: "add", to: to)
    case .deleted(let from): StepRecord(action: "delete", from: from)
    case .moved(let from, let to): StepRecord(action: "move", from: from, to: to)
    }
  }

  /// An object with the action and its indexes, such as `{"do":"move","from":3,"to":0}`.
  public func encode(to encoder: any Encoder) throws { try record.encode(to: encoder) }
}

extension ChangeSet {
  /// Deletions ascending, moves ascending by old index, additions ascending.
  ///
  /// Actions do not cover contents; `updated` and ``batchUpdates(moves:)`` do.
  ///
  /// - Parameter moves: `.everyIndexChange` gives the actions of the original.
  /// - Complexity: O(d) for d changes; O(n + d log d) with `.everyIndexChange`.
  public func actions(moves: MoveChoice = .fewest) -> [ArrayAction] {
    removed.map { .deleted($0.from) } + indexMoves(moves).map { .moved($0.from, $0.to) }
      + inserted.map { .added($0.to) }
  }
}
