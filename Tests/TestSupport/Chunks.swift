extension Array {
  /// The elements in arrays of `count`; the last array may be shorter.
  public func chunks(of count: Int) -> [[Element]] {
    var chunks: [[Element]] = []
    var rest = self[...]
    while !rest.isEmpty {
      chunks.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return chunks
  }
}
