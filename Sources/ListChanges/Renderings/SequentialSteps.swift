/// Steps to be done one after the other, each valid on the list as it then stands: for
/// `NSTableView`, which moves one row at a time, and for plain arrays.
///
/// Deletions descending, moves, insertions ascending, then updates. There are as many of each as
/// the change set has.
public struct SequentialSteps: Equatable, Sendable {
  public enum Step: Hashable, Sendable {
    case delete(Int)
    /// Takes the item at `from` out, then puts it in so that it stands at `to`.
    case move(from: Int, to: Int)
    case insert(Int)
    case update(Int)
  }

  /// Descending; being so, these are also the indexes in the old list.
  public let deletions: [Int]
  /// `from` in the list before the move, `to` in the list after it; the items in ascending order of
  /// where they end.
  public let moves: [IndexMove]
  /// Ascending; being so, these are also the indexes in the new list.
  public let insertions: [Int]
  /// Ascending, in the new list.
  public let updates: [Int]

  public var count: Int { deletions.count + moves.count + insertions.count + updates.count }

  /// All steps in their order.
  public var steps: [Step] {
    deletions.map { .delete($0) } + moves.map { .move(from: $0.from, to: $0.to) }
      + insertions.map { .insert($0) } + updates.map { .update($0) }
  }

  /// Does the steps one by one on a list, as a view does; what is inserted and updated comes from
  /// the new list.
  ///
  /// - Precondition: the steps are those from `list` to `new`.
  /// - Complexity: O(n) a step for a list of n items, as arrays move what stands behind. The way
  ///   there in O(n + d log d) is ``Swift/RandomAccessCollection/applying(_:)``.
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
  /// An object of what is done and its indexes, such as `{"do":"move","from":3,"to":0}`.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: StepKey.self)
    switch self {
    case .delete(let from): try members.encode("delete", from: from)
    case .move(let from, let to): try members.encode("move", from: from, to: to)
    case .insert(let to): try members.encode("insert", to: to)
    case .update(let to): try members.encode("update", to: to)
    }
  }
}

extension ChangeSet {
  /// Steps to be done one after the other.
  ///
  /// - Complexity: O(d log d) for d changes.
  public func sequentialSteps() -> SequentialSteps {
    SequentialSteps(
      deletions: removed.map(\.from).reversed(), moves: sequentialMoves(),
      insertions: inserted.map(\.to), updates: updated.map(\.to))
  }
}
