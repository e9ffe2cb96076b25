import ListChanges

/// The newest version of a list as keys in order, held in parts that are read when they are asked
/// for: to look at one item of a long list, or to change it, reads one part.
///
/// Valid inside the transaction that made it.
public struct HeadOrder {
  /// How many items parts have.
  struct PartSize {
    /// With how many a part is made, at most.
    let target: Int
    /// A part that grows past so many is split.
    let maximum: Int

    static let standard = PartSize(
      target: PartCoding.maximumCount / 2, maximum: PartCoding.maximumCount)
  }

  private static let rankGap: Int64 = 1 << 32
  private static let rankLimit: Int64 = 1 << 61

  struct Part {
    /// Where the part is stored; nil for one that is not stored yet.
    var rank: Int64?
    var count: Int
    var keys: ClosedRange<Int64>
    /// Nil until the part is read.
    var items: [StoredItem]?
    var isChanged = false
  }

  private(set) var parts: [Part]
  /// The ranks of stored parts that are no more.
  private(set) var droppedRanks: [Int64] = []
  public private(set) var count: Int
  private let size: PartSize
  private let read: (_ rank: Int64) throws -> [StoredItem]

  init(
    stored parts: [Part], size: PartSize = .standard,
    read: @escaping (_ rank: Int64) throws -> [StoredItem]
  ) {
    self.parts = parts
    count = parts.reduce(0) { $0 + $1.count }
    self.size = size
    self.read = read
  }

  /// An order that is not stored yet.
  public init(_ items: [StoredItem]) { self.init(items, size: .standard) }

  init(_ items: [StoredItem], size: PartSize) {
    self.init(stored: Self.parts(of: items, size), size: size) { _ in
      preconditionFailure("every part is there")
    }
  }

  private static func parts(of items: [StoredItem], _ size: PartSize) -> [Part] {
    let partCount = (items.count + size.target - 1) / size.target
    return (0..<partCount).map { number in
      let start = number * items.count / partCount
      let end = (number + 1) * items.count / partCount
      return Part(new: Array(items[start..<end]))
    }
  }
}

extension HeadOrder.Part {
  init(new items: [StoredItem]) {
    self.init(rank: nil, count: items.count, keys: items.keys, items: items, isChanged: true)
  }

  /// Notes that the items are others now.
  mutating func replace(_ items: [StoredItem]) {
    self = .init(rank: rank, count: items.count, keys: items.keys, items: items, isChanged: true)
  }
}

extension [StoredItem] {
  /// The range of the item keys; of an empty list, one that holds none.
  fileprivate var keys: ClosedRange<Int64> {
    let keys = lazy.map(\.id.rawValue)
    guard let lowest = keys.min(), let highest = keys.max() else { return 0...0 }
    return lowest...highest
  }
}

// Looking.
extension HeadOrder {
  /// All items in order.
  ///
  /// - Complexity: O(n) for n items.
  public func items() throws -> [StoredItem] {
    var items: [StoredItem] = []
    items.reserveCapacity(count)
    for position in parts.indices { items += try readItems(position) }
    return items
  }

  /// - Precondition: The index is one of the list's.
  /// - Complexity: O(p) for p parts, one of which is read.
  public mutating func item(at index: Int) throws -> StoredItem {
    let (position, start) = location(of: index)
    return try partItems(position)[index - start]
  }

  /// The index of an item; nil when the head does not hold it.
  ///
  /// - Complexity: O(p) for p parts; of those that may hold the key, each is read.
  public mutating func index(of item: ItemKey) throws -> Int? {
    var start = 0
    for position in parts.indices {
      if parts[position].keys.contains(item.rawValue),
        let offset = try partItems(position).firstIndex(where: { $0.id == item })
      {
        return start + offset
      }
      start += parts[position].count
    }
    return nil
  }

  private func location(of index: Int) -> (position: Int, start: Int) {
    precondition((0..<count).contains(index), "the head has no such index")
    var (position, start) = (0, 0)
    while index >= start + parts[position].count {
      start += parts[position].count
      position += 1
    }
    return (position, start)
  }

  /// The items of a part, which is kept for the next look.
  private mutating func partItems(_ position: Int) throws -> [StoredItem] {
    let items = try readItems(position)
    parts[position].items = items
    return items
  }

  /// The items of a part, for them to be changed without a copy and put back.
  private mutating func takeItems(_ position: Int) throws -> [StoredItem] {
    let items = try readItems(position)
    parts[position].items = nil
    return items
  }

  private func readItems(_ position: Int) throws -> [StoredItem] {
    if let items = parts[position].items { return items }
    let (part, items) = (parts[position], try read(parts[position].rank ?? 0))
    guard items.count == part.count else {
      throw StoreError.corrupt(reason: "a stored part has \(items.count) of \(part.count) items")
    }
    // An item is looked for where the range says, so that a wrong one would hide it.
    guard items.keys == part.keys else {
      throw StoreError.corrupt(reason: "a stored part has other items than its range says")
    }
    return items
  }
}

// Changing.
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

// Storing.
extension HeadOrder {
  /// Gives ranks to the parts that have none, between those of their neighbours; where there is no
  /// room between them, all parts get new ones.
  mutating func rankParts() throws {
    var position = 0
    while position < parts.count {
      guard parts[position].rank == nil else {
        position += 1
        continue
      }
      var end = position
      while end < parts.count, parts[end].rank == nil { end += 1 }
      let before = position > 0 ? parts[position - 1].rank : nil
      let after = end < parts.count ? parts[end].rank : nil
      guard let ranks = Self.ranks(end - position, between: before, and: after) else {
        return try rankAllParts()
      }
      for (offset, rank) in ranks.enumerated() { parts[position + offset].rank = rank }
      position = end
    }
  }

  /// Evenly spaced ranks; nil where there is no room for them.
  private static func ranks(
    _ count: Int, between before: Int64?, and after: Int64?
  ) -> [Int64]? {
    let room = (Int64(count) + 1) * rankGap
    let low = before ?? (after ?? 0) &- room
    let high = after ?? low &+ room
    let limits = -rankLimit...rankLimit
    guard limits.contains(low), limits.contains(high), low < high else { return nil }
    let step = (high - low) / (Int64(count) + 1)
    return step > 0 ? (1...Int64(count)).map { low + $0 * step } : nil
  }

  private mutating func rankAllParts() throws {
    droppedRanks += parts.compactMap(\.rank)
    for position in parts.indices {
      parts[position].replace(try readItems(position))
      parts[position].rank = Int64(position) * Self.rankGap
    }
  }

  /// Notes that every part is stored as it is.
  mutating func noteStored() {
    droppedRanks = []
    for position in parts.indices { parts[position].isChanged = false }
  }
}
