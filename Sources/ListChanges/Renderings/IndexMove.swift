/// A move told by indexes alone. Which list each index counts in, the rendering says; where it does
/// not, `from` is an index in the list before and `to` one in the list after.
public struct IndexMove: Hashable, Codable, Sendable {
  public let from: Int
  public let to: Int

  public init(from: Int, to: Int) {
    self.from = from
    self.to = to
  }
}

/// Which items a rendering lists as moved.
public enum MoveChoice: Sendable, CaseIterable {
  /// The canonical moves: those that are left when a longest chain keeps its order.
  case fewest
  /// Every item that is in both lists at unequal indexes, as libraries do that compare indexes
  /// only. Up to n moves for a single insertion at the start.
  case everyIndexChange
}

extension ChangeSet {
  /// The moves by index, ascending by `from`.
  ///
  /// - Complexity: O(d) for d changes with `.fewest`; O(n + d log d) with `.everyIndexChange`, for
  ///   a list of n items.
  func indexMoves(_ choice: MoveChoice) -> [IndexMove] {
    switch choice {
    case .fewest:
      moved.map { IndexMove(from: $0.from, to: $0.to) }
    case .everyIndexChange:
      Alignment(of: self).runs
        .filter { $0.old != $0.new }
        .sorted { $0.old < $1.old }
        .flatMap { run in
          (0..<run.count).map { IndexMove(from: run.old + $0, to: run.new + $0) }
        }
    }
  }
}
