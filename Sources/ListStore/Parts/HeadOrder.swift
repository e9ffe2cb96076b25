/// The order of a list's newest version, as keys in parts that are read when needed.
///
/// Reading or changing one item of a long list reads one part. Parts that are needed together are
/// read by one query. Valid inside the transaction that created it.
public struct HeadOrder {
  /// The number of items in a part.
  package struct PartSize: Sendable {
    /// The most items of a new part.
    let target: Int
    /// A part with more items is split.
    let maximum: Int

    package static let standard = PartSize(
      target: PartCoding.maximumCount / 2, maximum: PartCoding.maximumCount)
  }

  package struct Part: Sendable {
    /// The key of the stored part; nil for one that was not stored yet.
    package internal(set) var rank: Int64?
    package internal(set) var count: Int
    /// From the lowest to the highest item key.
    package internal(set) var keys: ClosedRange<Int64>
    /// Nil until the part is read.
    package internal(set) var items: [StoredItem]?
    /// Whether the part must be stored again.
    package internal(set) var isChanged = false
  }

  package internal(set) var parts: [Part]
  /// The ranks of stored parts that must be deleted.
  package internal(set) var droppedRanks: [Int64] = []
  public internal(set) var count: Int
  let size: PartSize
  private let read: (_ ranks: [Int64]) throws -> [[StoredItem]]

  /// - Parameter read: gives the items of stored parts, in the order of the ranks.
  package init(
    stored parts: [Part], size: PartSize = .standard,
    read: @escaping (_ ranks: [Int64]) throws -> [[StoredItem]]
  ) {
    self.parts = parts
    count = parts.reduce(0) { $0 + $1.count }
    self.size = size
    self.read = read
  }

  /// An order that was not stored yet.
  public init(_ items: [StoredItem]) { self.init(items, size: .standard) }

  init(_ items: [StoredItem], size: PartSize) {
    self.init(stored: Self.parts(of: items, size), size: size) { _ in
      preconditionFailure("every part has its items")
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
  /// A stored part.
  ///
  /// - Throws: `StoreError.corrupt` if the row cannot be that of a part.
  package init(stored rank: Int64, count: Int, lowest: Int64, highest: Int64) throws(StoreError) {
    guard lowest <= highest, (1...PartCoding.maximumCount).contains(count) else {
      throw .corrupt(reason: "a stored part has no range, or no count, of items")
    }
    self.init(rank: rank, count: count, keys: lowest...highest, items: nil)
  }

  init(new items: [StoredItem]) {
    self.init(rank: nil, count: items.count, keys: items.keys, items: items, isChanged: true)
  }

  /// Gives the part other items.
  mutating func replace(_ items: [StoredItem]) {
    self = .init(rank: rank, count: items.count, keys: items.keys, items: items, isChanged: true)
  }
}

extension [StoredItem] {
  /// The range of the item keys; for an empty list, a range without item keys.
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
    try items(ofParts: Array(parts.indices)).reduce(into: []) { items, part in
      if items.isEmpty { items.reserveCapacity(count) }
      items += part
    }
  }

  /// Reads the items of parts, and keeps them.
  mutating func load(_ positions: [Int]) throws {
    let missing = positions.filter { parts[$0].items == nil }
    for (position, items) in zip(missing, try items(ofParts: missing)) {
      parts[position].items = items
    }
  }

  /// Moves the items out of a part, to be changed without a copy and put back.
  ///
  /// - Precondition: The part is loaded.
  mutating func removeItems(_ position: Int) -> [StoredItem] {
    defer { parts[position].items = nil }
    guard let items = parts[position].items else { preconditionFailure("the part is loaded") }
    return items
  }

  /// The items of parts, in the order of the positions.
  func items(ofParts positions: [Int]) throws -> [[StoredItem]] {
    let missing = positions.filter { parts[$0].items == nil }
    var found = missing.isEmpty ? [][...] : try read(missing.map { parts[$0].rank ?? 0 })[...]
    return try positions.map { position in
      if let items = parts[position].items { return items }
      let (part, items) = (parts[position], found.popFirst() ?? [])
      guard items.count == part.count else {
        throw StoreError.corrupt(reason: "a stored part has \(items.count) of \(part.count) items")
      }
      // Items are searched by these ranges, so a wrong range would hide an item.
      guard items.keys == part.keys else {
        throw StoreError.corrupt(reason: "a stored part has other items than its range says")
      }
      return items
    }
  }
}
