/// One change of order or number by index, as Lukas Z's `ArrayAction` has it ("Calculating the
/// Deltas for performBatchUpdates", 2019). All actions of a list go into one batch.
public enum ArrayAction: Hashable, Sendable {
  /// At an index in the new list.
  case added(Int)
  /// At an index in the old list.
  case deleted(Int)
  /// From an index in the old list to one in the new list.
  case moved(Int, Int)
}

extension ArrayAction: Encodable {
  /// An object of what is done and its indexes, such as `{"do":"move","from":3,"to":0}`.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: StepKey.self)
    switch self {
    case .added(let to): try members.encode("add", to: to)
    case .deleted(let from): try members.encode("delete", from: from)
    case .moved(let from, let to): try members.encode("move", from: from, to: to)
    }
  }
}

extension ChangeSet {
  /// Deletions ascending, moves ascending by old index, additions ascending.
  ///
  /// Contents are not spoken of: `updated` has them, and ``batchUpdates(moves:)`` where they
  /// belong.
  ///
  /// - Parameter moves: the fewest, or every index that changes, as the original has it.
  /// - Complexity: O(d) for d changes; O(n + d log d) with `.everyIndexChange`.
  public func actions(moves: MoveChoice = .fewest) -> [ArrayAction] {
    removed.map { .deleted($0.from) } + indexMoves(moves).map { .moved($0.from, $0.to) }
      + inserted.map { .added($0.to) }
  }
}
