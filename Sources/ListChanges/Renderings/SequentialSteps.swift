/// Successive steps, each valid on the list as the steps before it leave it: for `NSTableView`,
/// which moves one row at a time, and for plain arrays.
///
/// Deletions descending, moves, insertions ascending, then updates; as many of each as the change
/// set has.
public struct SequentialSteps: Equatable, Sendable {
  public enum Step: Hashable, Sendable {
    case delete(Int)
    /// Removes the item at `from`, then inserts it so that its index is `to`.
    case move(from: Int, to: Int)
    case insert(Int)
    case update(Int)
  }

  /// Descending, so these are also the indexes in the old list.
  public let deletions: [Int]
  /// `from` in the list before the move, `to` in the list after it; ascending by the items' final
  /// index.
  public let moves: [IndexMove]
  /// Ascending, so these are also the indexes in the new list.
  public let insertions: [Int]
  /// Ascending, in the new list.
  public let updates: [Int]

  public var count: Int { deletions.count + moves.count + insertions.count + updates.count }

  /// All steps in their order.
  public var steps: [Step] {
    deletions.map { .delete($0) } + moves.map { .move(from: $0.from, to: $0.to) }
      + insertions.map { .insert($0) } + updates.map { .update($0) }
  }

  /// Performs the steps one by one on a list, as a view does; inserted and updated elements come
  /// from the new list.
  ///
  /// - Precondition: The steps are those from `list` to `new`.
  /// - Complexity: O(n) a step for a list of n items, since an array moves the later items.
  ///   `applying(_:)` makes the new list in O(n + d log d).
  public func apply<Element>(
    to list: inout [Element], from new: some RandomAccessCollection<Element>
  ) {
    let new = Array(new)
    for step in steps {
      switch step {
      case .delete(let index): list.remove(at: index)
      case .move(let from, let to): list.insert(list.remove(at: from), at: to)
      case .insert(let index): list.insert(new[index], at: index)
      case .update(let index): list[index] = new[index]
      }
    }
  }
}

extension SequentialSteps: Encodable {
  /// The array of all steps in their order.
  public func encode(to encoder: any Encoder) throws { try steps.encode(to: encoder) }
}

extension SequentialSteps.Step: Encodable {
  package var record: StepRecord<Int> {
    switch self {
    case .delete(let from): StepRecord(action: "delete", from: from)
    case .move(let from, let to): StepRecord(action: "move", from: from, to: to)
    case .insert(let to): StepRecord(action: "insert", to: to)
    case .update(let to): StepRecord(action: "update", to: to)
    }
  }

  /// An object with the action and its indexes, such as `{"do":"move","from":3,"to":0}`.
  public func encode(to encoder: any Encoder) throws { try record.encode(to: encoder) }
}

extension ChangeSet {
  /// Successive steps.
  ///
  /// - Complexity: O(d log d) for d changes.
  public func sequentialSteps() -> SequentialSteps {
    SequentialSteps(
      deletions: removed.map(\.from).reversed(), moves: sequentialMoves(),
      insertions: inserted.map(\.to), updates: updated.map(\.to))
  }

  /// The moves as successive steps on the list after the deletions.
  ///
  /// The items that never move cut that list into gaps, numbered by the kept items before them.
  /// Moves are made in the order of their targets. Each moved item goes behind those that have
  /// arrived in its gap, and before those that still wait there:
  ///
  ///     gap 0          kept   gap 1                      kept
  ///     arrived, waiting │    arrived, waiting             │   …
  ///
  /// So an index is the sum of the kept items before it (the gap), the arrived ones (the moves
  /// made) and the waiting ones (a ``FenwickTree``).
  ///
  /// - Complexity: O(d log d) for d changes.
  func sequentialMoves() -> [IndexMove] {
    let leaving = departures
    let arriving = arrivals
    // The gaps in which moved items wait, in old order, and their target gaps, in new order. Both
    // ascend.
    let oldGaps = moved.map { $0.from - leaving.partitioningIndex(atLeast: $0.from) }
    let inNewOrder = moved.indices.sorted { moved[$0].to < moved[$1].to }
    let newGaps = inNewOrder.map {
      moved[$0].to - arriving.partitioningIndex(atLeast: moved[$0].to)
    }
    var waiting = FenwickTree(count: moved.count)
    return inNewOrder.enumerated().map { done, item in
      let (oldGap, newGap) = (oldGaps[item], newGaps[done])
      let arrivedBefore = min(done, newGaps.partitioningIndex(atLeast: oldGap + 1))
      let from = oldGap + arrivedBefore + waiting.count(before: item)
      waiting.remove(item)
      let to = newGap + done + waiting.count(before: oldGaps.partitioningIndex(atLeast: newGap))
      return IndexMove(from: from, to: to)
    }
  }
}

extension [Int] {
  /// In an ascending array, the number of elements below a bound.
  fileprivate func partitioningIndex(atLeast bound: Int) -> Int {
    partitioningIndex { $0 >= bound }
  }
}
