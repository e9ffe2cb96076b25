extension Matcher {
  /// Matches the rest of the walk by hashing ids; unmatched items were removed or inserted. False
  /// when cancelled.
  @inlinable
  mutating func matchRest(_ isCancelled: () -> Bool) -> Bool {
    guard !restOld.isEmpty, !restNew.isEmpty else {
      for range in restOld { removed.append(contentsOf: range) }
      for range in restNew { inserted.append(contentsOf: range) }
      return true
    }
    var search = RestSearch(matcher: self)
    guard search.run(isCancelled) else { return false }
    removed = search.unmatchedOld()
    inserted = search.inserted
    runs = Self.merged(runs, search.runs) { $0.new < $1.new }
    updated = Self.merged(updated, search.updated) { $0.to < $1.to }
    return true
  }

  /// Merges two ascending sequences.
  @inlinable
  static func merged<T>(_ a: [T], _ b: [T], _ precedes: (T, T) -> Bool) -> [T] {
    if a.isEmpty { return b }
    if b.isEmpty { return a }
    var result: [T] = []
    result.reserveCapacity(a.count + b.count)
    var (i, j) = (0, 0)
    while i < a.count, j < b.count {
      if precedes(b[j], a[i]) {
        result.append(b[j])
        j += 1
      } else {
        result.append(a[i])
        i += 1
      }
    }
    result.append(contentsOf: a[i...])
    result.append(contentsOf: b[j...])
    return result
  }
}

/// The third stage of matching: neighbours of pairs, else ids in a hash table.
@usableFromInline
struct RestSearch<Element: Identifiable & Equatable> {
  @usableFromInline typealias Run = Alignment.Run

  @usableFromInline let matcher: Matcher<Element>
  @usableFromInline let oldCount: Int
  @usableFromInline var table: IDMatcher<Element.ID>?
  /// Whether an index of the old list belongs to the rest and is not matched yet.
  @usableFromInline var isFree: [Bool]
  @usableFromInline var runs: [Run] = []
  @usableFromInline var updated: [ChangeSet<Element>.Update] = []
  @usableFromInline var inserted: [Int] = []

  @inlinable
  init(matcher: Matcher<Element>) {
    self.matcher = matcher
    oldCount = matcher.restOld.reduce(0) { $0 + $1.count }
    isFree = Array(repeating: false, count: matcher.old.count)
    for range in matcher.restOld { for index in range { isFree[index] = true } }
    runs.reserveCapacity(oldCount)
  }

  @inlinable
  mutating func run(_ isCancelled: () -> Bool) -> Bool {
    // A reversed list begins with the end of the other.
    var (guess, direction) = (matcher.restOld[matcher.restOld.count - 1].upperBound - 1, -1)
    for range in matcher.restNew {
      for j in range {
        if j & 4095 == 0, isCancelled() { return false }
        while direction < 0, guess >= 0, !isFree[guess] { guess -= 1 }
        if isPair(guess, j) {
          match(guess, j)
          guess += direction
          continue
        }
        // The neighbour on the other side of the block that was matched last.
        let other = guess - 2 * direction
        if guess >= 0, isPair(other, j) {
          direction = -direction
          match(other, j)
          guess = other + direction
          continue
        }
        guard let i = find(j) else {
          inserted.append(j)
          // A new item has no old neighbour to guess from.
          guess = -1
          continue
        }
        match(i, j)
        (guess, direction) = (i + 1, 1)
      }
    }
    return true
  }

  @inlinable @inline(__always)
  func isPair(_ i: Int, _ j: Int) -> Bool {
    i >= 0 && i < isFree.count && isFree[i] && matcher.bits.isSame(i, j)
  }

  @inlinable @inline(__always)
  mutating func match(_ i: Int, _ j: Int) {
    isFree[i] = false
    Alignment.append(Run(old: i, new: j, count: 1), to: &runs)
    guard !matcher.bits.isEqual(i, j) else { return }
    updated.append(.init(from: i, to: j, old: matcher.old[i], new: matcher.new[j]))
  }

  /// The free index of the old list with the id of a new item; nil when there is none.
  @inlinable
  mutating func find(_ j: Int) -> Int? {
    if table == nil { makeTable(hashing: .fastest) }
    let new = matcher.new
    guard let hash = table!.hash(new[j].id) else {
      makeTable(hashing: .standard)
      return find(j)
    }
    let old = matcher.old
    let slot = table!.slot(hash) { old[$0].id == new[j].id }
    guard let i = table!.index(in: slot), isFree[i] else { return nil }
    return i
  }

  /// Enters the old rest; again with `.standard` hashing when an id is not ASCII.
  @inlinable
  mutating func makeTable(hashing: IDMatcher<Element.ID>.Hashing) {
    var table = IDMatcher<Element.ID>(
      count: oldCount, indexCount: matcher.old.count, hashing: hashing)
    let old = matcher.old
    for range in matcher.restOld {
      for i in range {
        guard let hash = table.hash(old[i].id) else { return makeTable(hashing: .standard) }
        let slot = table.slot(hash) { old[$0].id == old[i].id }
        if table.index(in: slot) == nil { table.fill(slot, hash, index: i) }
      }
    }
    self.table = table
  }

  /// The unmatched indexes of the old rest, ascending.
  @inlinable
  func unmatchedOld() -> [Int] {
    var result: [Int] = []
    for range in matcher.restOld { for index in range where isFree[index] { result.append(index) } }
    return result
  }
}
