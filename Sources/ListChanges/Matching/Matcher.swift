/// Finds which items of two lists are the same, without hashing more than it must.
///
/// 1. *Trim*: what is equal at both ends needs no search. 2. *Walk* both lists in lockstep. At a
/// mismatch look ahead: a little always, far only on credit that
///    matches have earned, so that the walk stays O(n + m) whatever the lists hold. Ids are unique,
///    so any pair found is the right one: a wrong guess costs time, never correctness.
/// 3. *Hash* the rest: what neither list found on the way. Neighbours of a pair are tried first, in
/// both
///    directions, so that moved blocks and reversals are hashed once per block.
@usableFromInline
struct Matcher<Element: Identifiable & Equatable> {
  @usableFromInline typealias Run = Alignment.Run
  @usableFromInline typealias Update = ChangeSet<Element>.Update

  @usableFromInline let old: [Element]
  @usableFromInline let new: [Element]
  @usableFromInline let bits: BitComparison<Element>

  /// The pairs, as runs ascending in the new list.
  @usableFromInline var runs: [Run] = []
  /// Ascending in the new list.
  @usableFromInline var updated: [Update] = []
  /// What the walk did not match, ascending.
  @usableFromInline var restOld: [Range<Int>] = []
  @usableFromInline var restNew: [Range<Int>] = []
  /// What remains in the end, ascending.
  @usableFromInline var removed: [Int] = []
  @usableFromInline var inserted: [Int] = []

  @inlinable
  init(old: [Element], new: [Element], bits: BitComparison<Element>) {
    self.old = old
    self.new = new
    self.bits = bits
  }

  /// The canonical change set from the old list to the new one; nil when it was cancelled on the
  /// way.
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

  /// Notes a pair whose contents may differ.
  @inlinable
  mutating func appendPair(_ i: Int, _ j: Int) {
    Alignment.append(Run(old: i, new: j, count: 1), to: &runs)
    if !bits.isEqual(i, j) { updated.append(Update(from: i, to: j, old: old[i], new: new[j])) }
  }
}
