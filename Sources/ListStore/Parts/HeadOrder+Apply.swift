import ListChanges

extension HeadOrder {
  /// A step with at least one change for so many items is applied to the whole list.
  private static let wholeShare = 8

  /// Turns this version into the next one.
  ///
  /// - Throws: `StoreError.corrupt` when the step does not start from this version; the order is
  ///   invalid then.
  /// - Complexity: O(p + d log d + q) for p parts and d changes that touch parts of q items.
  package mutating func apply(_ step: ChangeSet<StoredItem>) throws {
    guard step.oldCount == count else {
      throw StoreError.corrupt(reason: "the head has \(count) items, not \(step.oldCount)")
    }
    if step.count * Self.wholeShare >= count {
      try replaceAll(with: step)
    } else {
      try replace(step.updated)
      let moved = try removeLeaving(step)
      try insertArriving(step, moved: moved)
      count = step.newCount
      settle()
      if isSparse { try replaceParts(with: items()) }
    }
  }

  /// Whether the parts have shrunk so far that there are many more than needed.
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

  /// Gives updated items their new content.
  private mutating func replace(_ updates: [ChangeSet<StoredItem>.Update]) throws {
    let updates = updates.sorted { $0.from < $1.from }
    try edit(updates, at: places(of: updates.map(\.from))) { update, offset, items in
      guard items[offset] == update.old else { throw Self.misfit }
      items[offset] = update.new
    }
  }

  /// Removes the items that leave their place.
  ///
  /// - Returns: the moved items by their old index.
  private mutating func removeLeaving(_ step: ChangeSet<StoredItem>) throws -> [Int: StoredItem] {
    var leaving: [(from: Int, removed: StoredItem?)] = step.removed.map { ($0.from, $0.element) }
    leaving += step.moved.map { ($0.from, nil) }
    leaving.sort { $0.from < $1.from }
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

  /// Inserts the arriving items, ascending, so each gets its index.
  private mutating func insertArriving(
    _ step: ChangeSet<StoredItem>, moved: [Int: StoredItem]
  ) throws {
    let arrivals = try
      (step.inserted
      + step.moved.map { move in
        guard let item = moved[move.from] else { throw Self.misfit }
        return .init(to: move.to, element: item)
      }).sorted { $0.to < $1.to }
    if parts.isEmpty, !arrivals.isEmpty { parts = [Part(new: [])] }
    // A part grows by the items that arrive in it.
    var (position, start, arrived) = (0, 0, 0)
    var places: [(position: Int, offset: Int)] = []
    for arrival in arrivals {
      while position < parts.count, arrival.to > start + parts[position].count + arrived {
        (position, start, arrived) = (position + 1, start + parts[position].count + arrived, 0)
      }
      guard position < parts.count else { throw Self.misfit }
      places.append((position, arrival.to - start))
      arrived += 1
    }
    try edit(arrivals, at: places) { arrival, offset, items in
      items.insert(arrival.element, at: offset)
    }
  }

  /// Makes changes at ascending places; inside each part, in ascending or descending order.
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
      var items = removeItems(position)
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

  /// Splits parts that are too long, and drops empty ones.
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
