/// Looking many items up at once.
extension HeadOrder {
  /// The items at some indexes, in the order of the indexes.
  ///
  /// - Precondition: Each index is one of the list's.
  /// - Complexity: O(p + k log k) for p parts and k indexes; a part is read once where it holds
  ///   one.
  public mutating func items(at indexes: [Int]) throws -> [StoredItem] {
    var items: [StoredItem?] = Array(repeating: nil, count: indexes.count)
    var (position, start) = (0, 0)
    for place in indexes.indices.sorted(by: { indexes[$0] < indexes[$1] }) {
      while indexes[place] >= start + parts[position].count {
        start += parts[position].count
        position += 1
      }
      items[place] = try partItems(position)[indexes[place] - start]
    }
    return items.compactMap(\.self)
  }

  /// The indexes of those of some items that the head holds.
  ///
  /// - Complexity: O(p log k + k log k) for p parts and k items; a part is read once where it may
  ///   hold one.
  public mutating func indexes(of items: Set<ItemKey>) throws -> [ItemKey: Int] {
    let keys = items.map(\.rawValue).sorted()
    var indexes: [ItemKey: Int] = [:]
    var start = 0
    for position in parts.indices where indexes.count < items.count {
      if Self.hasKey(keys, in: parts[position].keys) {
        for (offset, item) in try partItems(position).enumerated() where items.contains(item.id) {
          indexes[item.id] = start + offset
        }
      }
      start += parts[position].count
    }
    return indexes
  }

  /// Whether one of some ascending keys lies in a range.
  private static func hasKey(_ keys: [Int64], in range: ClosedRange<Int64>) -> Bool {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < range.lowerBound { low = middle + 1 } else { high = middle }
    }
    return low < keys.count && keys[low] <= range.upperBound
  }
}
