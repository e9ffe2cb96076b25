/// A move by place alone: `from` is a place in the list before, `to` one in the list after, unless
/// the rendering says otherwise.
public struct PlaceMove<Place: Hashable>: Hashable {
  public let from: Place
  public let to: Place

  @inlinable
  public init(from: Place, to: Place) {
    self.from = from
    self.to = to
  }
}

extension PlaceMove: Encodable where Place: Encodable {}
extension PlaceMove: Decodable where Place: Decodable {}
extension PlaceMove: Sendable where Place: Sendable {}

/// A move by index.
public typealias IndexMove = PlaceMove<Int>

/// The items that a rendering lists as moved.
public enum MoveChoice: Sendable, CaseIterable {
  /// The canonical moves: all matched items outside of a longest chain that keeps its order.
  case fewest
  /// Every item whose index differs between the lists, as in libraries that compare indexes only.
  /// A single insertion at the start can cause n moves.
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
        .flatMap(\.moves)
    }
  }
}

extension Alignment.Run {
  /// The moves of the single items.
  var moves: [IndexMove] { (0..<count).map { IndexMove(from: old + $0, to: new + $0) } }
}
