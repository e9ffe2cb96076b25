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
    try edit(updates, at: places(of: updates.map(\.from))) { update, offset, items in
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
    let places = places(of: leaving.map(\.from))
    try edit(leaving, at: places, descending: true) { departure, offset, items in
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
    // A part grows by what lands in it.
    var (position, start, landed) = (0, 0, 0)
    var places: [(position: Int, offset: Int)] = []
    for arrival in arrivals {
      while position < parts.count, arrival.to > start + parts[position].count + landed {
        (position, start, landed) = (position + 1, start + parts[position].count + landed, 0)
      }
      guard position < parts.count else { throw Self.misfit }
      places.append((position, arrival.to - start))
      landed += 1
    }
    try edit(arrivals, at: places) { arrival, offset, items in
      items.insert(arrival.element, at: offset)
    }
  }

  /// Makes changes at ascending places; in each part, from the first or the last of them.
  private mutating func edit<Change>(
    _ changes: [Change], at places: [(position: Int, offset: Int)], descending: Bool = false,
    _ edit: (Change, _ offset: Int, inout [StoredItem]) throws -> Void
  ) throws {
    guard places.count == changes.count else { throw Self.misfit }
    try load(places.map(\.position).withoutRepetitions)
    var rest = places.indices
    while let first = rest.first {
      let position = places[first].position
      let here = rest.prefix { places[$0].position == position }
      var items = takeItems(position)
      for index in descending ? Array(here.reversed()) : Array(here) {
        try edit(changes[index], places[index].offset, &items)
      }
      parts[position].replace(items)
      rest = rest.dropFirst(here.count)
    }
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
