/// The matched items of two lists as maximal runs of items that are neighbours in both lists. Diff,
/// composition and inversion all make their change sets from it.
///
///     old  0 1 2 3 4 5          runs  (old 3, new 0, count 2)
///          ╲     ╱                    (old 0, new 3, count 2)
///     new  3 4 + 0 1            all items outside of runs are removed or inserted
@usableFromInline
package struct Alignment {
  @usableFromInline
  package struct Run: Equatable {
    @usableFromInline package var old: Int
    @usableFromInline package var new: Int
    @usableFromInline package var count: Int

    @inlinable
    package init(old: Int, new: Int, count: Int) {
      self.old = old
      self.new = new
      self.count = count
    }

    @inlinable var oldEnd: Int { old + count }
    @inlinable var newEnd: Int { new + count }
  }

  @usableFromInline let oldCount: Int
  @usableFromInline let newCount: Int
  /// Ascending by `new`, disjoint in both lists, no two of them joinable.
  @usableFromInline package let runs: [Run]

  /// - Parameter pieces: ascending by `new` and disjoint in both lists. Pieces that touch in both
  ///   lists are joined.
  @inlinable
  init(oldCount: Int, newCount: Int, pieces: [Run]) {
    self.oldCount = oldCount
    self.newCount = newCount
    var runs: [Run] = []
    runs.reserveCapacity(pieces.count)
    for piece in pieces { Self.append(piece, to: &runs) }
    self.runs = runs
  }

  /// Makes an alignment of runs that are already joined.
  @inlinable
  init(oldCount: Int, newCount: Int, joinedRuns runs: [Run]) {
    self.oldCount = oldCount
    self.newCount = newCount
    self.runs = runs
  }

  @inlinable @inline(__always)
  static func append(_ piece: Run, to runs: inout [Run]) {
    if let last = runs.indices.last, runs[last].oldEnd == piece.old, runs[last].newEnd == piece.new
    {
      runs[last].count += piece.count
    } else {
      runs.append(piece)
    }
  }

  /// The index in the old list of the item at `index` of the new one; nil when it was inserted.
  ///
  /// - Complexity: O(log r) for r runs.
  @inlinable
  package func oldIndex(ofNew index: Int) -> Int? {
    let next = runs.partitioningIndex { $0.new > index }
    guard next > 0 else { return nil }
    let run = runs[next - 1]
    return index < run.newEnd ? run.old + index - run.new : nil
  }

  /// The same matching from the new list to the old one.
  @inlinable
  var inverted: Alignment {
    let swapped = runs.map { Run(old: $0.new, new: $0.old, count: $0.count) }
    return Alignment(
      oldCount: newCount, newCount: oldCount, pieces: swapped.sorted { $0.new < $1.new })
  }
}

extension Alignment {
  /// The matching of a change set, in O(d log d) for d changes.
  @inlinable
  package init<Element>(of changes: ChangeSet<Element>) {
    let moved = changes.moved.map { Run(old: $0.from, new: $0.to, count: 1) }
    let kept = Self.pieces(
      between: changes.departures, of: changes.oldCount,
      and: changes.arrivals, of: changes.newCount)
    self.init(
      oldCount: changes.oldCount, newCount: changes.newCount,
      pieces: (moved + kept).sorted { $0.new < $1.new })
  }

  /// The runs of the kept items: the gaps between the departures of one list, paired with the gaps
  /// between the arrivals of the other. Both are ascending.
  @inlinable
  static func pieces(
    between departures: [Int], of oldCount: Int, and arrivals: [Int], of newCount: Int
  ) -> [Run] {
    var pieces: [Run] = []
    var oldGaps = Gaps(between: departures, count: oldCount)
    var newGaps = Gaps(between: arrivals, count: newCount)
    while let old = oldGaps.current, let new = newGaps.current {
      let length = min(old.count, new.count)
      pieces.append(Run(old: old.lowerBound, new: new.lowerBound, count: length))
      oldGaps.advance(by: length)
      newGaps.advance(by: length)
    }
    return pieces
  }
}

/// Iterates over the non-empty ranges of `0..<count` between ascending indexes.
@usableFromInline
struct Gaps {
  @usableFromInline let indexes: [Int]
  @usableFromInline let count: Int
  @usableFromInline var position = 0
  /// The rest of the current range; nil past the end.
  @usableFromInline var current: Range<Int>?

  @inlinable
  init(between indexes: [Int], count: Int) {
    self.indexes = indexes
    self.count = count
    findNext(from: 0)
  }

  @inlinable
  mutating func advance(by length: Int) {
    guard let range = current else { return }
    if length < range.count {
      current = range.lowerBound + length..<range.upperBound
    } else {
      findNext(from: range.upperBound)
    }
  }

  @inlinable
  mutating func findNext(from start: Int) {
    var lower = start
    while position < indexes.count, indexes[position] == lower {
      position += 1
      lower += 1
    }
    let upper = position < indexes.count ? indexes[position] : count
    current = lower < upper ? lower..<upper : nil
  }
}

extension ChangeSet {
  /// The indexes of the old list whose items are removed or moved, ascending.
  @inlinable
  var departures: [Int] { (removed.map { $0.from } + moved.map { $0.from }).sorted() }
  /// The indexes of the new list whose items are inserted or moved, ascending.
  @inlinable
  var arrivals: [Int] { (inserted.map { $0.to } + moved.map { $0.to }).sorted() }
}

extension RandomAccessCollection where Index == Int {
  /// The first index whose element satisfies a predicate; the end when there is none. O(log n).
  ///
  /// - Precondition: No element that satisfies it comes before one that does not.
  @inlinable
  package func partitioningIndex(
    where predicate: (Element) throws -> Bool
  ) rethrows -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if try predicate(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
