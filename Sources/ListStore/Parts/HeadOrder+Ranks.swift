extension HeadOrder {
  private static let rankGap: Int64 = 1 << 32
  private static let rankLimit: Int64 = 1 << 61

  /// Gives ranks to the parts that have none, between the ranks of their neighbours. If these leave
  /// no room, all parts get new ranks.
  package mutating func rankParts() throws {
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

  /// Returns evenly spaced ranks; nil if there is no room for them.
  private static func ranks(_ count: Int, between before: Int64?, and after: Int64?) -> [Int64]? {
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
    try load(Array(parts.indices))
    for position in parts.indices {
      parts[position].rank = Int64(position) * Self.rankGap
      parts[position].isChanged = true
    }
  }

  /// Marks every part as stored.
  package mutating func recordStored() {
    droppedRanks = []
    for position in parts.indices { parts[position].isChanged = false }
  }
}
