extension Matcher {
  /// Walks both ranges in lockstep; what it cannot match becomes the rest. False when cancelled.
  @inlinable
  mutating func walk(
    _ oldRange: Range<Int>, _ newRange: Range<Int>, _ isCancelled: () -> Bool
  ) -> Bool {
    var (i, j) = (oldRange.lowerBound, newRange.lowerBound)
    let (oldEnd, newEnd) = (oldRange.upperBound, newRange.upperBound)
    var state = WalkState()
    // Where the stretch begins that has no match so far.
    var (oldStart, newStart) = (i, j)
    while i < oldEnd, j < newEnd {
      if state.mustAsk(), isCancelled() { return false }
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
        state.noteEqualBits(equalCount)
        (i, j) = (i + equalCount, j + equalCount)
      } else {
        appendPair(i, j)
        state.notePair()
        (i, j) = (i + 1, j + 1)
      }
      (oldStart, newStart) = (i, j)
    }
    setAside(oldStart..<oldEnd, newStart..<newEnd)
    return true
  }

  /// Passes over pairs in step where nothing has matched for long, up to the next look ahead.
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

  /// How many items to pass over in each list at a mismatch.
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
        state.noteFound(distance - near)
        return (distance, 0)
      }
      if j + distance < newEnd, bits.isSame(i, j + distance) {
        state.noteFound(distance - near)
        return (0, distance)
      }
      distance += 1
    }
    state.noteMiss()
    return (1, 1)
  }
}

/// What a walk remembers from step to step.
@usableFromInline
struct WalkState {
  /// How many more steps may be spent on looking far ahead.
  @usableFromInline var credit = 0
  @usableFromInline var missCount = 0
  @usableFromInline var stepCount = 0
  /// Bits are not looked at for so many more pairs.
  @usableFromInline var pauseCount = 0
  @usableFromInline var nextPauseCount = 1

  /// How many pairs lie between two looks ahead once the walk is lost.
  @usableFromInline static var lookInterval: Int { 64 }

  @inlinable init() {}

  /// Whether it is time to ask if the comparison is still wanted.
  @inlinable
  mutating func mustAsk() -> Bool {
    stepCount &+= 1
    guard stepCount >= 4096 else { return false }
    stepCount = 0
    return true
  }

  /// Bits that keep differing where ids are the same are looked at ever more rarely.
  @inlinable
  mutating func usesBits() -> Bool {
    if pauseCount == 0 { return true }
    pauseCount &-= 1
    return false
  }

  @inlinable
  mutating func noteEqualBits(_ count: Int) {
    credit &+= count
    missCount = 0
    nextPauseCount = 1
  }

  @inlinable
  mutating func notePair() {
    credit &+= 1
    missCount = 0
    if pauseCount == 0 {
      pauseCount = nextPauseCount
      nextPauseCount = Swift.min(nextPauseCount * 2, 64)
    }
  }

  @inlinable
  mutating func noteFound(_ farCount: Int) {
    credit &-= Swift.max(farCount, 0)
    missCount = 0
    pauseCount = 0
  }

  /// A vain look far ahead has used all credit; where nothing matches, bits are not looked at
  /// either.
  @inlinable
  mutating func noteMiss() {
    credit = 0
    missCount &+= 1
    if isLost { pauseCount = 1 }
  }

  /// Whether nothing has matched for so long that nothing near is to be expected.
  @inlinable var isLost: Bool { missCount >= 16 }

  /// How far to look ahead without credit: once lost, only now and then.
  @inlinable var nearCount: Int { isLost ? 8 : 4 }
}
