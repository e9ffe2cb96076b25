import ListChanges
import ListModel

extension HeadOrder {
  /// Turns this version into the next one. `applying(_:)` and `ReplayedList` need all items; this
  /// reads and makes only the parts that the step touches, and keeps the hashes of all others.
  ///
  /// - Parameter update: the tree after the step.
  /// - Throws: `StoreError.corrupt` when the step does not start from this version.
  /// - Complexity: O(p + d log d + q) for p parts and d changes that touch parts of q items.
  package mutating func apply(_ step: ChangeSet<StoredItem>, _ update: TreeUpdate) throws {
    guard step.oldCount == count, step.newCount == update.tree.itemCount else {
      throw StoreError.corrupt(reason: "the head has \(count) items, not \(step.oldCount)")
    }
    let starts = starts
    var items = PiecewiseItems(of: step)
    var made: [MadePart] = []
    for piece in update.parts {
      switch piece {
      case .old(let range):
        var position = starts.partitioningIndex { $0 >= range.lowerBound }
        while starts[position] < range.upperBound {
          made.append(.kept(position))
          _ = items.next(parts[position].count)
          position += 1
        }
      case .new(let groups):
        for group in groups { made.append(.new(group, items.next(group.itemCount))) }
      }
    }
    try replaceParts(with: made, starts)
  }

  private enum MadePart {
    /// A part of this version.
    case kept(_ position: Int)
    case new(RootNode, [TreePiece<StoredItem>])
  }

  private mutating func replaceParts(with made: [MadePart], _ starts: [Int]) throws {
    let kept = made.compactMap { if case .kept(let position) = $0 { position } else { nil } }
    // Parts that change their order get new ranks.
    var stays = Array(repeating: false, count: parts.count)
    for position in kept.longestAscending { stays[position] = true }
    var needed = Set(kept.filter { !stays[$0] })
    for case .new(_, let pieces) in made {
      for case .old(let range) in pieces {
        var position = starts.partitioningIndex { $0 > range.lowerBound } - 1
        while starts[position] < range.upperBound {
          needed.insert(position)
          position += 1
        }
      }
    }
    try load(needed.sorted())
    var new: [Part] = []
    for part in made {
      switch part {
      case .kept(let position):
        new.append(parts[position])
        if !stays[position] {
          (new[new.count - 1].rank, new[new.count - 1].isChanged) = (nil, true)
        }
      case .new(let group, let pieces):
        var items: [StoredItem] = []
        for piece in pieces {
          switch piece {
          case .old(let range): items += self.items(in: range, starts)
          case .new(let others): items += others
          }
        }
        new.append(Part(new: items, group))
      }
    }
    let gone = parts.indices.filter { !stays[$0] }.compactMap { parts[$0].rank }
    droppedRanks += new.reuse(gone)
    replaceParts(with: new)
  }

  /// Returns the items at a range of indexes, whose parts must be loaded.
  func items(in range: Range<Int>, _ starts: [Int]) -> [StoredItem] {
    var items: [StoredItem] = []
    var position = starts.partitioningIndex { $0 > range.lowerBound } - 1
    while starts[position] < range.upperBound {
      let here = range.clamped(to: starts[position]..<starts[position + 1])
      guard let content = parts[position].content else { preconditionFailure("it is loaded") }
      items +=
        content.items[here.lowerBound - starts[position]..<here.upperBound - starts[position]]
      position += 1
    }
    return items
  }
}

/// The items of a new version, taken from the first to the last.
private struct PiecewiseItems {
  private var pieces: ArraySlice<TreePiece<StoredItem>>
  /// The number of items already taken from the first piece.
  private var offset = 0

  init(of step: ChangeSet<StoredItem>) {
    pieces =
      TreePiece.all(
        kept: Alignment(of: step).runs,
        inserted: (step.inserted.map(\.to), step.inserted.map(\.element)),
        updated: (step.updated.map(\.to), step.updated.map(\.new)))[...]
  }

  mutating func next(_ count: Int) -> [TreePiece<StoredItem>] {
    var (found, rest): ([TreePiece<StoredItem>], Int) = ([], count)
    while rest > 0, let piece = pieces.first {
      let size: Int
      let taken: Int
      switch piece {
      case .old(let range):
        (size, taken) = (range.count, min(rest, range.count - offset))
        found.append(.old(range.dropFirst(offset).prefix(taken)))
      case .new(let items):
        (size, taken) = (items.count, min(rest, items.count - offset))
        found.append(.new(Array(items.dropFirst(offset).prefix(taken))))
      }
      (rest, offset) = (rest - taken, offset + taken)
      if offset == size { (pieces, offset) = (pieces.dropFirst(), 0) }
    }
    return found
  }
}

extension [HeadOrder.Part] {
  /// Gives free ranks to new parts where this keeps the ranks ascending.
  ///
  /// - Returns: the ranks that are not needed.
  fileprivate mutating func reuse(_ free: [Int64]) -> [Int64] {
    var (free, unused): (ArraySlice<Int64>, [Int64]) = (free.sorted()[...], [])
    var before: Int64?
    var position = 0
    while position < count {
      if let rank = self[position].rank {
        (before, position) = (rank, position + 1)
        continue
      }
      let end = self[position...].firstIndex { $0.rank != nil }
      while let rank = free.first, let before, rank < before {
        unused.append(rank)
        free.removeFirst()
      }
      while position < end ?? count {
        if let rank = free.first, end.flatMap({ self[$0].rank }).map({ rank < $0 }) ?? true {
          self[position].rank = rank
          free.removeFirst()
        }
        position += 1
      }
    }
    return unused + free
  }
}

extension [Int] {
  /// A longest ascending subsequence of the numbers.
  fileprivate var longestAscending: [Int] {
    if zip(self, dropFirst()).allSatisfy(<) { return self }
    var (piles, links): ([Int], [Int?]) = ([], [])
    for (index, number) in enumerated() {
      let pile = piles.partitioningIndex { self[$0] >= number }
      links.append(pile > 0 ? piles[pile - 1] : nil)
      if pile == piles.count { piles.append(index) } else { piles[pile] = index }
    }
    var (kept, next): ([Int], Int?) = ([], piles.last)
    while let index = next {
      kept.append(self[index])
      next = links[index]
    }
    return kept.reversed()
  }
}
