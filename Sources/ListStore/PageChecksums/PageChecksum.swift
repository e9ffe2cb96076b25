/// The 64 bits that each page of a store ends in: made of all its other bytes and of its number, so
/// that a page in another's place, and a page of zeros, do not have theirs.
///
/// Each step is that of XXH64 (Collet, 2012), a bijection of the lane and of the word that it takes
/// in. So damage within one word of eight bytes always shows; any other goes unseen once in about
/// 2⁶⁴ times. It guards against accidents of disks and memory, not against forgery.
enum PageChecksum {
  static let byteCount = 8

  /// - Parameter words: the whole page, the place of the checksum included.
  /// - Complexity: O(n) for n bytes, at about the speed of memory.
  static func of(_ words: UnsafePointer<UInt64>, byteCount: Int, number: Int) -> UInt64 {
    let count = byteCount / 8 - 1
    let seed = UInt64(truncatingIfNeeded: number) &* 0x9e37_79b1_85eb_ca87
    // Four lanes, since each step of one waits for the step before it.
    var (a, b, c, d) = (seed, ~seed, seed &+ 1, ~seed &- 1)
    var position = 0
    while position &+ 4 <= count {
      a = mixed(a, words[position])
      b = mixed(b, words[position &+ 1])
      c = mixed(c, words[position &+ 2])
      d = mixed(d, words[position &+ 3])
      position &+= 4
    }
    while position < count {
      a = mixed(a, words[position])
      position &+= 1
    }
    let sum = mixed(mixed(mixed(mixed(seed, a), b), c), d)
    let folded = (sum ^ (sum &>> 33)) &* 0xc2b2_ae3d_27d4_eb4f
    return folded ^ (folded &>> 29)
  }

  @inline(__always) private static func mixed(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    let sum = lane &+ UInt64(littleEndian: word) &* 0xc2b2_ae3d_27d4_eb4f
    return ((sum &<< 31) | (sum &>> 33)) &* 0x9e37_79b1_85eb_ca87
  }
}
