extension Matcher {
  /// Walks both ranges in lockstep; unmatched items become the rest. False when cancelled.
  @inlinable
  mutating func walk(
    _ oldRange: Range<Int>, _ newRange: Range<Int>, _ isCancelled: () -> Bool
  ) -> Bool {
    var (i, j) = (oldRange.lowerBound, newRange.lowerBound)
    let (oldEnd, newEnd) = (oldRange.upperBound, newRange.upperBound)
    var state = WalkState()
    // The start of the current stretch without a match.
    var (oldStart, newStart) = (i, j)
    while i < oldEnd, j < newEnd {
      if state.isCancellationDue(), isCancelled() { return false }
      let equalCount =
        state.usesBits() ? bits.prefixCount(i, j, limit: Swift.min(oldEnd - i, newEnd - j)) : 0
      guard equalCount > 0 || bits.isSame(i, j) else {
        let (skippedOld, skippedNew) = skip(i, oldEnd, j, newEnd, &state)
        (i, j) = (i + skippedOld, j + skippedNew)
        if state.isLost { passOver(&i, oldEnd, &j, newEnd, &state) }
        continue
      }
      setAside(oldStart..<i, newStart..<j)
      if equalCount > 0 {
        append(Run(old: i, new: j, count: equalCount))
        state.recordEqualBits(equalCount)
        (i, j) = (i + equalCount, j + equalCount)
      } else {
        appendPair(i, j)
        state.recordPair()
        (i, j) = (i + 1, j + 1)
      }
      (oldStart, newStart) = (i, j)
    }
    setAside(oldStart..<oldEnd, newStart..<newEnd)
    return true
  }

  /// Skips unequal pairs after a long stretch without a match, up to the next look ahead.
  @inlinable
  func passOver(
    _ i: inout Int, _ oldEnd: Int, _ j: inout Int, _ newEnd: Int, _ state: inout WalkState
  ) {
    let limit = Swift.min(WalkState.lookInterval, oldEnd - i, newEnd - j)
    var count = 0
    while count < limit, !bits.isSame(i + count, j + count) { count += 1 }
    (i, j) = (i + count, j + count)
    state.missCount &+= count
    state.stepCount &+= count
  }

  @inlinable
  mutating func setAside(_ oldRange: Range<Int>, _ newRange: Range<Int>) {
    if !oldRange.isEmpty { restOld.append(oldRange) }
    if !newRange.isEmpty { restNew.append(newRange) }
  }

  /// The number of items to skip in each list at a mismatch.
  @inlinable
  func skip(
    _ i: Int, _ oldEnd: Int, _ j: Int, _ newEnd: Int, _ state: inout WalkState
  ) -> (old: Int, new: Int) {
    let near = state.nearCount
    let most = Swift.max(oldEnd - i, newEnd - j) - 1
    let last = Swift.min(Swift.max(near, state.credit), most)
    var distance = 1
    while distance <= last {
      if i + distance < oldEnd, bits.isSame(i + distance, j) {
        state.recordFound(distance - near)
        return (distance, 0)
      }
      if j + distance < newEnd, bits.isSame(i, j + distance) {
        state.recordFound(distance - near)
        return (0, distance)
      }
      distance += 1
    }
    state.recordMiss()
    return (1, 1)
  }
}

/// The state of a walk between steps.
@usableFromInline
struct WalkState {
  /// The number of steps that may still be spent on looking far ahead.
  @usableFromInline var credit = 0
  @usableFromInline var missCount = 0
  @usableFromInline var stepCount = 0
  /// The number of further pairs whose bits are not compared.
  @usableFromInline var pauseCount = 0
  @usableFromInline var nextPauseCount = 1

  /// The number of pairs between two looks ahead once the walk is lost.
  @usableFromInline static var lookInterval: Int { 64 }

  @inlinable init() {}

  /// Whether to check for cancellation.
  @inlinable
  mutating func isCancellationDue() -> Bool {
    stepCount &+= 1
    guard stepCount >= 4096 else { return false }
    stepCount = 0
    return true
  }

  /// Whether to compare bits: less and less often while bits differ where ids are equal.
  @inlinable
  mutating func usesBits() -> Bool {
    if pauseCount == 0 { return true }
    pauseCount &-= 1
    return false
  }

  @inlinable
  mutating func recordEqualBits(_ count: Int) {
    credit &+= count
    missCount = 0
    nextPauseCount = 1
  }

  @inlinable
  mutating func recordPair() {
    credit &+= 1
    missCount = 0
    if pauseCount == 0 {
      pauseCount = nextPauseCount
      nextPauseCount = Swift.min(nextPauseCount * 2, 64)
    }
  }

  @inlinable
  mutating func recordFound(_ farCount: Int) {
    credit &-= Swift.max(farCount, 0)
    missCount = 0
    pauseCount = 0
  }

  /// A failed look far ahead uses all credit. Once the walk is lost, bits are not compared either.
  @inlinable
  mutating func recordMiss() {
    credit = 0
    missCount &+= 1
    if isLost { pauseCount = 1 }
  }

  /// Whether the last match is so far behind that none is expected near.
  @inlinable var isLost: Bool { missCount >= 16 }

  /// The distance to look ahead without credit; longer but rarer once lost.
  @inlinable var nearCount: Int { isLost ? 8 : 4 }
}
