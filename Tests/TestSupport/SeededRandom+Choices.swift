extension SeededRandom {
  public mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &self)
  }

  /// True in one of `count` cases.
  public mutating func chance(_ count: Int) -> Bool { number(1...count) == 1 }

  public mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 32) }
  }

  public mutating func element<Element>(of elements: [Element]) -> Element {
    elements[number(0...elements.count - 1)]
  }

  /// A size from 1 to a limit, mostly small: each power of ten is less likely than the one below.
  public mutating func size(upTo limit: Int) -> Int {
    var top = 1
    while top < limit, !chance(4) { top *= 10 }
    return number(1...min(top, limit))
  }
}
