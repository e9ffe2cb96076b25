extension ChangeSet {
  /// The canonical change set between two lists that have stretches in common, from the one between
  /// their other items. Moves of items in a stretch have no id.
  ///
  /// - Parameters:
  ///   - rest: a change set between the items outside of the stretches.
  ///   - stretches: equal items of both lists, ascending by `new`, disjoint in both lists.
  ///   - oldCount: the number of items of the whole old list.
  ///   - newCount: the number of items of the whole new list.
  /// - Precondition: No item in a stretch has the id of an item outside of all.
  /// - Complexity: O((d + s) log (d + s)) for d changes and s stretches.
  package init(
    widening rest: ChangeSet, by stretches: [Alignment.Run], oldCount: Int, newCount: Int
  ) {
    if stretches.isEmpty {
      self = rest
      return
    }
    let old = Remainder(of: oldCount, without: stretches.map { $0.old..<$0.oldEnd })
    let new = Remainder(of: newCount, without: stretches.map { $0.new..<$0.newEnd })
    precondition(
      old.count == rest.oldCount && new.count == rest.newCount, "the stretches leave the rest")
    var pieces = stretches
    for run in Alignment(of: rest).runs {
      var done = 0
      while done < run.count {
        let (from, to) = (old.stretch(from: run.old + done), new.stretch(from: run.new + done))
        let count = min(run.count - done, from.count, to.count)
        pieces.append(.init(old: from.lowerBound, new: to.lowerBound, count: count))
        done += count
      }
    }
    let names = rest.moved.reduce(into: [:]) { $0[old.index(of: $1.from)] = $1.id }
    self.init(
      alignment: Alignment(
        oldCount: oldCount, newCount: newCount, pieces: pieces.sorted { $0.new < $1.new }),
      removed: rest.removed.map { .init(from: old.index(of: $0.from), element: $0.element) },
      inserted: rest.inserted.map { .init(to: new.index(of: $0.to), element: $0.element) },
      updated: rest.updated.map {
        .init(from: old.index(of: $0.from), to: new.index(of: $0.to), old: $0.old, new: $0.new)
      }
    ) { from, _ in names[from] ?? nil }
  }
}

/// The indexes of a list outside of some stretches, one after the other.
private struct Remainder {
  private var ranges: [Range<Int>] = []
  /// How many indexes stand before each range.
  private var starts: [Int] = []
  private(set) var count = 0

  init(of count: Int, without stretches: [Range<Int>]) {
    var start = 0
    for stretch in stretches.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      append(start..<stretch.lowerBound)
      start = stretch.upperBound
    }
    append(start..<count)
  }

  private mutating func append(_ range: Range<Int>) {
    if range.isEmpty { return }
    ranges.append(range)
    starts.append(count)
    count += range.count
  }

  /// The indexes from the one at a position on that are neighbours.
  func stretch(from position: Int) -> Range<Int> {
    let number = starts.partitioningIndex { $0 > position } - 1
    return ranges[number].dropFirst(position - starts[number])
  }

  func index(of position: Int) -> Int { stretch(from: position).lowerBound }
}
