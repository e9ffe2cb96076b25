/// The order of a merged list, by indexes alone: theirs, into which the items that mine placed are
/// put again.
///
///     base    a b c d e
///     mine    d a x b c e y     placed: d first, x behind a; y is at the end
///     theirs  c b a e z
///     merged  c b a x e z y     theirs removed d
///
/// The *loose* items of mine are those that it moved, and those that theirs lacks. They stand in
/// mine in stretches. All items of a stretch follow the item before it, which both lists have; no
/// two stretches follow the same.
@usableFromInline
struct MergedOrder {
  /// Their items that are in the merged list.
  @usableFromInline private(set) var alignment: Alignment
  /// The items that theirs lacks, ascending by `merged`.
  @usableFromInline private(set) var inserted: [(mine: Int, merged: Int)] = []

  /// A loose item of the merged list, and the index in theirs that it comes before.
  private struct Placed {
    let mine: Int
    let theirs: Int?
    let before: Int
  }

  private let matching: Alignment
  private let brought: Set<Int>
  private let loose: Set<Int>
  private var placed: [Placed] = []

  /// All indexes but those of `removed` are in mine.
  ///
  /// - Parameters:
  ///   - moved: the items that mine moved.
  ///   - inserted: the items that mine inserted.
  ///   - absent: the items of mine that theirs lacks.
  ///   - brought: the items of `absent` that the merged list has.
  ///   - removed: the items of theirs that the merged list lacks.
  ///   - matching: from theirs to mine.
  /// - Complexity: O(d log d) for the d given indexes and runs.
  @usableFromInline
  init(
    moved: [Int], inserted: [Int], absent: [Int], brought: Set<Int>, removed: [Int],
    matching: Alignment
  ) {
    self.matching = matching
    self.brought = brought
    loose = Set(moved + absent)
    alignment = matching
    // The tail of mine: its own items, and some that are gone.
    let (own, gone) = (Set(moved + inserted), Set(absent).subtracting(brought))
    var end = matching.newCount
    while end > 0, own.contains(end - 1) || gone.contains(end - 1) { end -= 1 }
    let leaving = Set(removed + loose.compactMap { matching.oldIndex(ofNew: $0) })
    placeBehindAnchors(until: end)
    placeAtEnd(end..<matching.newCount, leaving)
    lay(without: leaving.sorted())
  }

  private mutating func placeBehindAnchors(until end: Int) {
    var (next, before) = (0, 0)
    for index in loose.sorted() where index < end {
      // The item before a stretch is not loose, so theirs has it.
      if index > next { before = matching.oldIndex(ofNew: index - 1).map { $0 + 1 } ?? 0 }
      next = index + 1
      place(index, before: before)
    }
  }

  /// Places the loose items of the tail at the end of theirs. Where theirs ends in items of the
  /// tail that both sides inserted, those that come later in mine stay behind.
  private mutating func placeAtEnd(_ tail: Range<Int>, _ leaving: Set<Int>) {
    let shared = Set(
      tail.filter { !loose.contains($0) }.compactMap { matching.oldIndex(ofNew: $0) })
    var before = matching.oldCount
    while before > 0, leaving.contains(before - 1) || shared.contains(before - 1) { before -= 1 }
    for index in tail {
      if loose.contains(index) {
        place(index, before: before)
      } else if let theirs = matching.oldIndex(ofNew: index) {
        before = max(before, theirs + 1)
      }
    }
  }

  private mutating func place(_ index: Int, before: Int) {
    let theirs = matching.oldIndex(ofNew: index)
    if theirs == nil, !brought.contains(index) { return }
    placed.append(Placed(mine: index, theirs: theirs, before: before))
  }

  /// Puts the placed items between those of theirs that stay.
  private mutating func lay(without leaving: [Int]) {
    var (pieces, count): ([Alignment.Run], Int) = ([], 0)
    func append(_ old: Int, _ length: Int) {
      pieces.append(.init(old: old, new: count, count: length))
      count += length
    }
    var staying = Gaps(between: leaving, count: alignment.oldCount)
    func appendStaying(before end: Int) {
      while let range = staying.current, range.lowerBound < end {
        let length = min(range.upperBound, end) - range.lowerBound
        append(range.lowerBound, length)
        staying.advance(by: length)
      }
    }
    // Stretches with one anchor keep the order of mine.
    for (_, item) in placed.enumerated().sorted(by: {
      ($0.element.before, $0.offset) < ($1.element.before, $1.offset)
    }) {
      appendStaying(before: item.before)
      if let theirs = item.theirs {
        append(theirs, 1)
      } else {
        inserted.append((item.mine, count))
        count += 1
      }
    }
    appendStaying(before: alignment.oldCount)
    alignment = Alignment(oldCount: alignment.oldCount, newCount: count, pieces: pieces)
  }
}
