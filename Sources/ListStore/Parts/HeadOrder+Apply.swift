import ListChanges

extension HeadOrder {
  /// A step of at least this share of the list is applied to it as a whole.
  private static let wholeShare = 8

  /// Makes the next version of this one.
  ///
  /// - Throws: `StoreError.corrupt` when the step does not start from this version; the order is of
  ///   no use then.
  /// - Complexity: O(p + d log d + q) for p parts and d changes that touch parts of q items.
  package mutating func apply(_ step: ChangeSet<StoredItem>) throws {
    guard step.oldCount == count else {
      throw StoreError.corrupt(reason: "the head has \(count) items, not \(step.oldCount)")
    }
    if step.count * Self.wholeShare >= count {
      try replaceAll(with: step)
    } else {
      try replace(step.updated)
      let moved = try takeOut(step)
      try putIn(step, moved: moved)
      count = step.newCount
      settle()
      if isSparse { try replaceParts(with: items()) }
    }
  }

  /// Whether parts have shrunk so far that the list is held in many more than it needs.
  private var isSparse: Bool { parts.count > 4 * (count / size.target + 1) }

  private mutating func replaceParts(with items: [StoredItem]) {
    droppedRanks += parts.compactMap(\.rank)
    parts = Self.parts(of: items, size)
    count = items.count
  }

  private mutating func replaceAll(with step: ChangeSet<StoredItem>) throws {
    let items: [StoredItem]
    do {
      items = try self.items().applying(step)
    } catch let error as ListChangesError<ItemKey> {
      throw StoreError.corrupt(reason: "a step does not fit the head: \(error)")
    }
    replaceParts(with: items)
  }

  /// Gives updated items their new content, where they stand.
  private mutating func replace(_ updates: [ChangeSet<StoredItem>.Update]) throws {
    let updates = updates.sorted { $0.from < $1.from }
    try editParts(updates, at: \.from) { update, offset, items in
      guard items[offset] == update.old else { throw Self.misfit }
      items[offset] = update.new
    }
  }

  /// Takes out what leaves its place, and hands out what moves, by the index it left.
  private mutating func takeOut(
    _ step: ChangeSet<StoredItem>
  ) throws -> [Int: StoredItem] {
    let leaving =
      (step.removed.map { Departure(from: $0.from, removed: $0.element) }
      + step.moved.map { Departure(from: $0.from, removed: nil) }).sorted { $0.from < $1.from }
    var moved: [Int: StoredItem] = [:]
    try editParts(leaving, at: \.from, descending: true) { departure, offset, items in
      let item = items.remove(at: offset)
      if let removed = departure.removed {
        guard item == removed else { throw Self.misfit }
      } else {
        moved[departure.from] = item
      }
    }
    return moved
  }

  private struct Departure {
    let from: Int
    let removed: StoredItem?
  }

  /// Puts in what arrives, ascending, so that each lands on its index.
  private mutating func putIn(
    _ step: ChangeSet<StoredItem>, moved: [Int: StoredItem]
  ) throws {
    let arrivals = try
      (step.inserted
      + step.moved.map { move in
        guard let item = moved[move.from] else { throw Self.misfit }
        return .init(to: move.to, element: item)
      }).sorted { $0.to < $1.to }
    if parts.isEmpty, !arrivals.isEmpty { parts = [Part(new: [])] }
    var (position, start, next) = (0, 0, 0)
    while next < arrivals.count {
      guard position < parts.count else { throw Self.misfit }
      var end = start + parts[position].count
      if arrivals[next].to <= end {
        var items = try takeItems(position)
        while next < arrivals.count, arrivals[next].to <= end {
          items.insert(arrivals[next].element, at: arrivals[next].to - start)
          (next, end) = (next + 1, end + 1)
        }
        parts[position].replace(items)
      }
      (position, start) = (position + 1, end)
    }
  }

  /// Edits the parts that hold some ascending indexes; in each part, from its first or last index.
  private mutating func editParts<Change>(
    _ changes: [Change], at index: (Change) -> Int, descending: Bool = false,
    _ edit: (Change, _ offset: Int, inout [StoredItem]) throws -> Void
  ) throws {
    var (start, first) = (0, 0)
    for position in parts.indices where first < changes.count {
      let end = start + parts[position].count
      var last = first
      while last < changes.count, index(changes[last]) < end { last += 1 }
      if last > first {
        var items = try takeItems(position)
        let touched = changes[first..<last]
        for change in descending ? Array(touched.reversed()) : Array(touched) {
          try edit(change, index(change) - start, &items)
        }
        parts[position].replace(items)
      }
      (start, first) = (end, last)
    }
    guard first == changes.count else { throw Self.misfit }
  }

  private static var misfit: StoreError {
    .corrupt(reason: "a step does not fit the stored order of the head")
  }

  /// Splits parts that have grown too long and drops those that are empty.
  private mutating func settle() {
    var settled: [Part] = []
    settled.reserveCapacity(parts.count)
    for part in parts {
      if part.count == 0 {
        if let rank = part.rank { droppedRanks.append(rank) }
      } else if part.count > size.maximum, let items = part.items {
        if let rank = part.rank { droppedRanks.append(rank) }
        settled += Self.parts(of: items, size)
      } else {
        settled.append(part)
      }
    }
    parts = settled
  }
}
