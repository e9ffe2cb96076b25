import ListChanges

/// Queries for many items at once.
extension HeadOrder {
  /// Returns the item at an index.
  ///
  /// - Precondition: The index is one of the list's.
  /// - Complexity: O(p) for p parts, one of which is read.
  public mutating func item(at index: Int) throws -> StoredItem { try items(at: [index])[0] }

  /// Returns the items at some indexes, in the order of the indexes.
  ///
  /// - Precondition: Each index is one of the list's.
  /// - Complexity: O(p + k log k) for p parts and k indexes; each part with an index is read once.
  public mutating func items(at indexes: [Int]) throws -> [StoredItem] {
    precondition(indexes.allSatisfy((0..<count).contains), "the head has no such index")
    let ascending = indexes.indices.sorted { indexes[$0] < indexes[$1] }
    let places = places(of: ascending.map { indexes[$0] })
    try load(places.map(\.position).withoutRepetitions)
    var items: [StoredItem?] = Array(repeating: nil, count: indexes.count)
    for (index, place) in zip(ascending, places) {
      items[index] = parts[place.position].content?.items[place.offset]
    }
    return items.compactMap(\.self)
  }

  /// Returns the positions of the parts of some ascending indexes, and the offsets in these parts.
  /// Indexes after the last part are left out.
  func places(of ascending: [Int]) -> [(position: Int, offset: Int)] {
    var places: [(position: Int, offset: Int)] = []
    places.reserveCapacity(ascending.count)
    var (position, start) = (0, 0)
    for index in ascending {
      while position < parts.count, index >= start + parts[position].count {
        start += parts[position].count
        position += 1
      }
      guard position < parts.count else { break }
      places.append((position, index - start))
    }
    return places
  }

  /// Returns the indexes of those items that are in the head.
  ///
  /// - Complexity: O(p log k + p log p) for p parts and k items; each part that may hold one of the
  ///   items is read once. Parts are read in growing groups until every item is found.
  public mutating func indexes(of items: Set<ItemKey>) throws -> [ItemKey: Int] {
    let keys = items.map(\.rawValue).sorted()
    guard let lowest = keys.first, let highest = keys.last else { return [:] }
    let starts = starts
    var indexes: [ItemKey: Int] = [:]
    var (rest, groupCount) = (parts.positions(ofAny: keys)[...], items.count)
    while !rest.isEmpty, indexes.count < items.count {
      let group = rest.prefix(groupCount)
      try load(Array(group))
      for position in group {
        for (offset, item) in (parts[position].content?.items ?? []).enumerated()
        where lowest...highest ~= item.id.rawValue && items.contains(item.id) {
          indexes[item.id] = starts[position] + offset
        }
      }
      rest = rest.dropFirst(groupCount)
      groupCount *= 2
    }
    return indexes
  }
}

extension [HeadOrder.Part] {
  /// Returns the positions of the parts that may hold one of some items, the likely ones first.
  /// Items that were inserted together have keys that are near each other, so an item is rarely in
  /// a part whose range is wide because others were moved there.
  ///
  /// - Parameter keys: the keys of the items, ascending.
  package func positions(ofAny keys: [Int64]) -> [Int] {
    indices.filter { position in
      let range = self[position].keys
      let first = keys.partitioningIndex { $0 >= range.lowerBound }
      return first < keys.count && keys[first] <= range.upperBound
    }.sorted { self[$0].width < self[$1].width }
  }
}

extension HeadOrder.Part {
  fileprivate var width: UInt64 { UInt64(bitPattern: keys.upperBound &- keys.lowerBound) }
}

extension [Int] {
  /// The numbers without repetitions. They must be ascending.
  var withoutRepetitions: [Int] {
    reduce(into: []) { numbers, number in
      if numbers.last != number { numbers.append(number) }
    }
  }
}
