/// Matches the items of two lists by id, and hashes as few as possible.
///
/// 1. *Trim* the equal items at both ends.
/// 2. *Walk* both lists in lockstep. At a mismatch look ahead: always a little, far only on credit
///    earned by matches, so that the walk stays O(n + m). Ids are unique, so any pair found is the
///    right one; a wrong guess costs time, never correctness.
/// 3. *Hash* the rest: the items that the walk did not match. Try the neighbours of a pair first,
///    in both directions, so that a moved or reversed block is hashed once.
@usableFromInline
struct Matcher<Element: Identifiable & Equatable> {
  @usableFromInline typealias Run = Alignment.Run
  @usableFromInline typealias Update = ChangeSet<Element>.Update

  @usableFromInline let old: [Element]
  @usableFromInline let new: [Element]
  @usableFromInline let bits: BitComparison<Element>

  /// The matched pairs as runs, ascending in the new list.
  @usableFromInline var runs: [Run] = []
  /// Ascending in the new list.
  @usableFromInline var updated: [Update] = []
  /// The items that the walk did not match, ascending.
  @usableFromInline var restOld: [Range<Int>] = []
  @usableFromInline var restNew: [Range<Int>] = []
  /// The items that nothing matched, ascending.
  @usableFromInline var removed: [Int] = []
  @usableFromInline var inserted: [Int] = []

  @inlinable
  init(old: [Element], new: [Element], bits: BitComparison<Element>) {
    self.old = old
    self.new = new
    self.bits = bits
  }

  /// The canonical change set from the old list to the new one; nil when cancelled.
  @inlinable
  mutating func changeSet(isCancelled: () -> Bool) -> ChangeSet<Element>? {
    if isCancelled() { return nil }
    let count = Swift.min(old.count, new.count)
    let prefix = bits.prefixCount(0, 0, limit: count)
    let suffix = bits.suffixCount(old.count, new.count, limit: count - prefix)
    if let reversal = reversal(prefix: prefix, suffix: suffix) { return reversal }
    let (oldEnd, newEnd) = (old.count - suffix, new.count - suffix)
    append(Run(old: 0, new: 0, count: prefix))
    guard walk(prefix..<oldEnd, prefix..<newEnd, isCancelled), matchRest(isCancelled) else {
      return nil
    }
    append(Run(old: oldEnd, new: newEnd, count: suffix))
    return changeSet()
  }

  @inlinable
  mutating func append(_ run: Run) {
    if run.count > 0 { Alignment.append(run, to: &runs) }
  }

  /// Adds a pair whose contents may differ.
  @inlinable
  mutating func appendPair(_ i: Int, _ j: Int) {
    Alignment.append(Run(old: i, new: j, count: 1), to: &runs)
    if !bits.isEqual(i, j) { updated.append(Update(from: i, to: j, old: old[i], new: new[j])) }
  }
}
