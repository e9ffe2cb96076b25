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

  struct Part {
    /// Where the part is stored; nil for one that is not stored yet.
    var rank: Int64?
    var count: Int
    var keys: ClosedRange<Int64>
    /// Nil until the part is read.
    var items: [StoredItem]?
    var isChanged = false
  }

  var parts: [Part]
  /// The ranks of stored parts that are no more.
  var droppedRanks: [Int64] = []
  public internal(set) var count: Int
  let size: PartSize
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

  static func parts(of items: [StoredItem], _ size: PartSize) -> [Part] {
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
  mutating func partItems(_ position: Int) throws -> [StoredItem] {
    let items = try readItems(position)
    parts[position].items = items
    return items
  }

  /// The items of a part, for them to be changed without a copy and put back.
  mutating func takeItems(_ position: Int) throws -> [StoredItem] {
    let items = try readItems(position)
    parts[position].items = nil
    return items
  }

  func readItems(_ position: Int) throws -> [StoredItem] {
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
