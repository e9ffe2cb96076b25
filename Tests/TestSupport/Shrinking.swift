extension Array {
  /// A shorter array that still fails: it removes large parts, then small ones, then single
  /// elements, until no element can go (A. Zeller, "Yesterday, my program worked. Today, it does
  /// not. Why?", 1999).
  ///
  /// - Parameters:
  ///   - limit: the largest number of arrays to try.
  ///   - fails: whether an array still fails; the complete one must fail.
  public func shrunk(
    limit: Int = 1_000, while fails: ([Element]) async -> Bool
  ) async -> [Element] {
    var (rest, tried) = (self, 0)
    var length = Swift.max(1, count / 2)
    while !rest.isEmpty {
      let before = rest.count
      var start = 0
      while start < rest.count, tried < limit {
        let fewer = Array(rest[..<start] + rest[Swift.min(rest.count, start + length)...])
        tried += 1
        if await fails(fewer) { rest = fewer } else { start += length }
      }
      if tried == limit || length == 1 && rest.count == before { return rest }
      if rest.count == before { length = Swift.max(1, length / 2) }
      length = Swift.min(length, Swift.max(1, rest.count))
    }
    return rest
  }
}
