/// A 64-bit hash that guards against accidents of disks and memory, not against forgery.
///
/// Each step is that of XXH64 (Collet, 2012), a bijection of the state and of the added word, so
/// damage within one word always changes the state.
package struct WordHash {
  private var state: UInt64 = 0x27d4_eb2f_1656_67c5

  package init() {}

  @inline(__always) package mutating func add(_ word: UInt64) {
    let sum = state ^ (word &* 0xc2b2_ae3d_27d4_eb4f)
    state = ((sum &<< 31) | (sum &>> 33)) &* 0x9e37_79b1_85eb_ca87
  }

  /// Adds the bytes, but not their number.
  ///
  /// - Complexity: O(n) for n bytes, a word of eight at a time.
  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var offset = 0
    while offset &+ 8 <= bytes.count {
      add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset &+= 8
    }
    guard offset < bytes.count else { return }
    var last: UInt64 = 0
    for index in offset..<bytes.count {
      last |= UInt64(bytes[index]) &<< UInt64(8 &* (index &- offset))
    }
    add(last)
  }

  package mutating func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }

  package var value: UInt64 {
    let folded = (state ^ (state &>> 33)) &* 0xc2b2_ae3d_27d4_eb4f
    return folded ^ (folded &>> 29)
  }
}
