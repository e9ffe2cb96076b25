/// Sparse numbers that order rows: between two of them there is mostly room for more. Where there
/// is none, the places around are spread again.
package enum SparsePlaces {
  /// The distance of two rows that are placed at the start or the end of a list.
  package static let gap: Int64 = 1 << 20
  /// How many neighbours on each side are spread at first.
  private static let neighbourCount = 32
  /// Added to places that rows leave, since a new place may be an old one.
  package static let away: Int64 = 1 << 60

  /// The places that rows can have. With them no calculation here is too large for 64 bits.
  package static let range = 1 - away...away - 1

  /// Places between two others, spread evenly; nil if there is too little room. Without one of the
  /// two, there is always room, and they have a distance.
  package static func between(
    _ start: Int64?, _ end: Int64?, count: Int, _ distance: Int64 = gap
  ) -> [Int64]? {
    let count = Int64(count)
    guard let start, let end else {
      let first = start.map { $0 + distance } ?? end.map { $0 - count * distance } ?? distance
      return (0..<count).map { first + $0 * distance }
    }
    guard end - start > count else { return nil }
    let (distance, rest) = (end - start).quotientAndRemainder(dividingBy: count + 1)
    return (1...count).map { start + $0 * distance + $0 * rest / (count + 1) }
  }

  /// Other places for the rows around one, so that a number of places fits between any two, and
  /// room is left for twelve more halvings. They are as few as have room together, on both sides.
  ///
  /// - Parameters:
  ///   - below: as many places up to this one as are asked for, descending.
  ///   - above: likewise, ascending.
  /// - Returns: the old places, and the new ones.
  package static func spread(
    for count: Int, below: (Int) throws -> [Int64], above: (Int) throws -> [Int64]
  ) throws -> (old: [Int64], new: [Int64]) {
    let least = max(2 * Int64(count + 1), 1 << 12)
    var limit = neighbourCount
    while true {
      // One more on each side stays where it is.
      let (below, above) = (try below(limit + 1), try above(limit + 1))
      let start = below.count > limit ? below.last : nil
      let end = above.count > limit ? above.last : nil
      let old: [Int64] = below.prefix(limit).reversed() + above.prefix(limit)
      limit *= 4
      guard let new = between(start, end, count: old.count, max(gap, least)),
        zip(new, new.dropFirst()).allSatisfy({ $1 - $0 >= least }),
        start.map({ new[0] - $0 >= least }) ?? true,
        end.map({ $0 - new[new.count - 1] >= least }) ?? true
      else { continue }
      return (old, new)
    }
  }
}
