import ListModel

/// The rule for when segments are merged.
///
/// A list stays small if each segment has at least ``ratio`` times the bytes of all segments after
/// it. Then it has O(log n) segments for n changes, and takes at most 1 / ``ratio`` more bytes than
/// a single segment. A change is written O(log n) times.
enum MergeRule {
  static let ratio = 4

  /// Returns whether a commit may merge a segment with its changes. Longer ones are merged after
  /// it.
  ///
  /// - Parameter byteCount: the bytes of the segment and of all segments after it.
  static func isOfCommits(_ segment: Segment, upTo byteCount: Int) -> Bool {
    // A row may say any number of bytes.
    segment.inlineBlocks != nil || byteCount <= 1 << 18 && segment.blocks.count <= 16
  }

  /// Returns the position of the first segment that should be merged with all after it; nil if
  /// there is none.
  ///
  /// - Parameters:
  ///   - byteCounts: the bytes of each segment of a list, before they are deflated.
  ///   - ratio: a smaller one where many commits follow at once, so that fewer bytes are written.
  static func start(_ byteCounts: [Int], ratio: Int = ratio) -> Int? {
    var (sum, start): (Int, Int?) = (0, nil)
    for position in byteCounts.indices.reversed() {
      if sum > 0, byteCounts[position] < ratio * sum { start = position }
      sum += byteCounts[position]
    }
    return start
  }
}

extension ListReader {
  /// Begins to merge all segments of a list into one.
  ///
  /// - Parameters:
  ///   - list: the list.
  ///   - isBusy: whether the short segments at the end stay, which the next commits replace.
  /// - Returns: the new segment, without its blocks; nil if there is nothing to merge.
  /// - Complexity: O(c log c) for the c changes of the list.
  public func merge(of list: ListRecord, isBusy: Bool = false) throws -> SegmentMerge? {
    let segments = try segments(of: list.key)
    let merged = isBusy ? Array(segments.prefix(segments.count - shortCount(segments))) : segments
    return merged.count > 1 ? try merge(of: list, merged[...]) : nil
  }

  /// Begins to merge the last segments of a list, if this is due.
  ///
  /// - Parameters:
  ///   - list: the list.
  ///   - moreFollow: whether many versions will follow at once.
  ///   - isBusy: whether the short segments at the end stay, which the next commits replace.
  /// - Returns: the new segment, without its blocks; nil if nothing is due.
  public func dueMerge(
    of list: ListRecord, moreFollow: Bool = false, isBusy: Bool = false
  ) throws -> SegmentMerge? {
    var segments = try segments(of: list.key)
    if isBusy { segments.removeLast(shortCount(segments)) }
    let ratio = moreFollow ? 1 : MergeRule.ratio
    let start = MergeRule.start(segments.map(\.byteCount), ratio: ratio)
    return try start.map { try merge(of: list, segments[$0...]) }
  }

  /// The number of segments at the end that commits may replace.
  private func shortCount(_ segments: [Segment]) -> Int {
    var sum = 0
    return segments.reversed().prefix { segment in
      sum += segment.byteCount
      return MergeRule.isOfCommits(segment, upTo: sum)
    }.count
  }

  private func merge(of list: ListRecord, _ merged: ArraySlice<Segment>) throws -> SegmentMerge {
    // Of very many, the shortest neighbours are merged first.
    let count = SegmentMerge.joinedCount
    let starts = merged.startIndex...max(merged.startIndex, merged.endIndex - count)
    func length(_ start: Int) -> Int {
      merged[start...].prefix(count).reduce(0) { $0 + $1.byteCount }
    }
    let start = starts.min { length($0) < length($1) } ?? merged.startIndex
    return try SegmentMerge(
      of: list.key, replacing: Array(merged[start...].prefix(count)),
      firstStep: firstChange(ofStepsOf: list), isPartial: merged.count > count, self)
  }

  /// Returns the first change of the first step that a list keeps.
  func firstChange(ofStepsOf list: ListRecord) throws -> Int64 {
    try list.head < list.firstStep
      ? row(of: list.key).nextChange : firstChange(of: list.firstStep, in: list.key)
  }

  /// Begins to merge all segments of a list without what was pruned.
  func pruning(of list: ListRecord, keeping kept: KeptTexts?) throws -> SegmentMerge? {
    let segments = try segments(of: list.key)
    if segments.count > SegmentMerge.joinedCount { return try merge(of: list, segments[...]) }
    if segments.isEmpty { return nil }
    return try SegmentMerge(
      of: list.key, replacing: segments, firstStep: firstChange(ofStepsOf: list), pruned: kept, self
    )
  }

  /// Begins the segment of the next versions of a list, joined with short segments before it if
  /// they should be merged.
  ///
  /// - Parameters:
  ///   - new: the changes of the version, or of several; at least one.
  ///   - starts: the first change of each of these versions.
  ///   - list: the row of the list.
  func merge(
    with new: [NewChange], starts: [Int64], of list: ListRow
  ) throws -> SegmentMerge {
    let segments = try segments(of: list.key)
    var (sum, count) = (new.byteCount, 0)
    for segment in segments.reversed() {
      guard segment.byteCount < MergeRule.ratio * sum,
        MergeRule.isOfCommits(segment, upTo: sum + segment.byteCount)
      else { break }
      (sum, count) = (sum + segment.byteCount, count + 1)
    }
    let merged = Array(segments.suffix(count))
    try readAhead([.rows(.blocks, merged.flatMap(\.blocks).map { RowKey(list.key, $0) })])
    var merge = try SegmentMerge(
      of: list.key, replacing: merged, with: new, starts: starts,
      firstStep: firstChange(ofStepsOf: list, beforeNew: new[0].row.sequence), self)
    let others = segments.dropLast(count).map(\.byteCount)
    merge.leavesMergeDue = MergeRule.start(others + [sum]) != nil
    return merge
  }

  private func firstChange(ofStepsOf list: ListRow, beforeNew first: Int64) throws -> Int64 {
    if list.oldest == Version(1) { return 1 }
    return list.head > list.oldest
      ? try firstChange(of: list.oldest.next, in: list.key) : first
  }
}

extension [NewChange] {
  /// About how many bytes the changes take before they are deflated.
  var byteCount: Int { reduce(32) { $0 + 8 + ($1.content?.bytes.count ?? 0) } }
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
      let item = row.item.sequence
      if item < end { kept.keep(item) }
      for content in [row.oldContent, row.newContent] {
        if let content, content.sequence < end { kept.keep(item, content: content.sequence) }
      }
    }
    try changeRows(end..<row(of: list).nextChange, of: list, keep)
    return kept
  }
}
