import ListModel

/// The rule for when a list packs its plain rows by itself.
package enum PackingRule {
  /// The smallest number of plain rows that are packed, if they have few bytes. Fewer rows take
  /// little room.
  package static let leastPlainCount: Int64 = 4096
  /// The smallest number of bytes of plain rows that are packed, however few they are.
  package static let leastPlainByteCount = 1 << 20
  /// The number of packed rows that take about as many bytes as one plain row.
  private static let weight = 8

  /// Returns whether the plain rows take more bytes than the packed ones, as far as their numbers
  /// say it.
  ///
  /// - Parameter moreFollow: whether many versions will follow at once. The plain rows must then be
  ///   as many as the packed ones, so that few changes are packed twice.
  static func isDue(plainCount: Int64, packedCount: Int64, moreFollow: Bool) -> Bool {
    plainCount >= max(leastPlainCount, moreFollow ? packedCount : packedCount / Int64(weight))
  }

  /// Returns whether the plain rows take more bytes than the packed ones.
  static func isDue(plainByteCount: Int, packedByteCount: Int, moreFollow: Bool) -> Bool {
    plainByteCount >= max(leastPlainByteCount, packedByteCount * (moreFollow ? weight : 1))
  }
}

extension ListReader {
  /// Begins to pack the plain rows of a list. Joins the new slice with older slices that are less
  /// than twice as long. So each change is packed at most log n times, and a list has at most log n
  /// slices.
  ///
  /// - Parameters:
  ///   - list: the list.
  ///   - isWhole: whether the new slice is joined with all older ones.
  ///   - limit: the largest number of bytes that are packed, beside a single larger row; nil for no
  ///     limit. Each item of the head counts, too, since its key is read.
  /// - Returns: the new slice, without its blocks; nil if there is nothing to pack.
  /// - Complexity: O(n + c log c) for n items of the head and the c changes of the slice.
  public func packing(
    of list: ListRecord, isWhole: Bool = false, limit: Int? = nil
  ) throws -> Packing? {
    try packing(of: list, isWhole: isWhole, limit: limit, pruned: nil)
  }

  /// The number of bytes that an item of the head counts.
  private static let itemByteCount = 16

  /// - Parameter pruned: the texts to keep that were written before the list's first step; nil to
  ///   keep all.
  func packing(
    of list: ListRecord, isWhole: Bool, limit: Int? = nil, pruned: KeptTexts?
  ) throws -> Packing? {
    let row = try row(of: list.key)
    let firstStep =
      try list.head < list.firstStep
      ? row.nextChange : firstChange(of: list.firstStep, in: list.key)
    var limit = limit
    if let whole = limit {
      let rest = try whole - Self.itemByteCount * itemCount(at: list.head, of: list.key)
      if rest <= 0 { return nil }
      limit = rest
    } else if let few = try neighbours(of: list.key) {
      let none = try PlainRows(
        of: row.firstPlain..<row.firstPlain, in: list.key, firstStep: firstStep, limit: nil, self)
      return try Packing(
        of: list, none, replacing: few, firstStep: firstStep, pruned: nil, isPartial: true, self)
    }
    let plain = try PlainRows(
      of: row.firstPlain..<row.nextChange, in: list.key, firstStep: firstStep, limit: limit, self)
    let isPartial = plain.range.upperBound < row.nextChange
    let replaced = try joinedSlices(
      of: list.key, plain.range, isWhole: isWhole && !isPartial,
      limit: limit.map { $0 - plain.byteCount })
    guard !plain.range.isEmpty || replaced.count > 1 || pruned != nil else { return nil }
    return try Packing(
      of: list, plain, replacing: replaced, firstStep: firstStep,
      pruned: isPartial ? nil : pruned, isPartial: isPartial, self)
  }

  /// Returns the shortest neighbours among the slices of a list that has more than can be joined at
  /// once; nil if it has fewer.
  private func neighbours(of list: ListKey) throws -> [Slice]? {
    let slices = try slices(of: list)
    let count = Packing.joinedCount
    if slices.count <= count { return nil }
    func length(_ start: Int) -> Int {
      slices[start..<start + count].reduce(0) { $0 + $1.byteCount }
    }
    let start = (0...slices.count - count).min { length($0) < length($1) } ?? 0
    return Array(slices[start..<start + count])
  }

  /// Returns the last slices of a list, which the next slice replaces.
  ///
  /// - Parameter limit: the largest number of bytes that they unfold to.
  private func joinedSlices(
    of list: ListKey, _ plain: Range<Int64>, isWhole: Bool, limit: Int?
  ) throws -> [Slice] {
    var (start, rest) = (plain.lowerBound, limit)
    let others = try slices(of: list).suffix(Packing.joinedCount).reversed().prefix { slice in
      let count = slice.changes.upperBound - slice.changes.lowerBound
      guard isWhole || count < 2 * (plain.upperBound - start) else { return false }
      start = slice.changes.lowerBound
      guard let limit = rest else { return true }
      // Blocks that are deflated have fewer bytes than they unfold to.
      guard slice.byteCount <= limit else { return false }
      rest = try limit - unfoldedByteCount(of: slice, in: list)
      return rest ?? 0 >= 0
    }
    return others.reversed()
  }

  private func unfoldedByteCount(of slice: Slice, in list: ListKey) throws -> Int {
    var byteCount = 0
    try visit(.blocks, slice.blocks.map { RowKey(list, $0) }, includesData: false) { _, row in
      byteCount += Int(row.integer(2))
    }
    return byteCount
  }

  /// The number of the newest plain rows that stand for all in ``isPackingDue(_:moreFollow:)``.
  private static let sampleCount = 4

  /// Returns whether a list should pack plain rows now by itself. The bytes of its plain rows are
  /// estimated from the newest of them.
  ///
  /// - Parameters:
  ///   - list: the list.
  ///   - moreFollow: whether many versions will follow at once.
  /// - Complexity: O(1) rows read, and those of the slices.
  public func isPackingDue(_ list: ListKey, moreFollow: Bool = false) throws -> Bool {
    let row = try row(of: list)
    let (plainCount, packedCount) = (row.nextChange - row.firstPlain, row.firstPlain - 1)
    if plainCount == 0 || row.keepsPlain { return false }
    if PackingRule.isDue(
      plainCount: plainCount, packedCount: packedCount, moreFollow: moreFollow)
    {
      return true
    }
    let newest = RowRange(of: .changes, in: list, from: row.firstPlain)
      .descending(limit: Self.sampleCount)
    let byteCounts = try rows(newest) { $0.byteCount(8) + $0.byteCount(9) }
    let byteCount = byteCounts.reduce(0, +) / max(byteCounts.count, 1) * Int(plainCount)
    // Don't read the slices for few bytes.
    if byteCount < PackingRule.leastPlainByteCount { return false }
    return try PackingRule.isDue(
      plainByteCount: byteCount, packedByteCount: slices(of: list).map(\.byteCount).reduce(0, +),
      moreFollow: moreFollow)
  }
}

/// The texts from before the first step of a pruned list that are still referenced: contents of
/// items, and the ids of these items.
struct KeptTexts: Sendable {
  private(set) var contents: [Int64: Set<Int64>] = [:]

  mutating func keep(_ item: Int64, content: Int64? = nil) {
    contents[item, default: []].formUnion([content].compactMap(\.self))
  }
}

extension ListReader {
  /// Returns the texts that the oldest version of a list and its kept steps reference.
  ///
  /// - Parameters:
  ///   - items: the items of its oldest version.
  ///   - end: the first change of the first step that is kept.
  func keptTexts(
    of items: [StoredItem], before end: Int64, _ list: ListKey
  ) throws -> KeptTexts {
    var kept = KeptTexts()
    for item in items { kept.keep(item.id.sequence, content: item.content.sequence) }
    func keep(_ row: ChangeRow) {
      kept.keep(row.item.sequence)
      for content in [row.oldContent, row.newContent] {
        if let content { kept.keep(row.item.sequence, content: content.sequence) }
      }
    }
    try changeRows(end..<row(of: list).nextChange, of: list, keep)
    return kept
  }
}
