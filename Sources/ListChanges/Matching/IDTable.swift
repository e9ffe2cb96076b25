/// A hash table from ids to indexes of a list: open addressing with linear probing. Made for one
/// comparison, and thrown away.
///
/// A slot has 4 bytes: the index plus 1 in as many low bits as indexes need, and in the bits above
/// a part of the hash, so that most ids that differ are told apart without looking at them.
@usableFromInline
struct IDTable<ID: Hashable> {
  /// How ids are hashed: by their bits, as ASCII, or as their type says.
  @usableFromInline
  enum Hashing {
    case bits, ascii, standard
  }

  @usableFromInline let hashing: Hashing
  @usableFromInline let seed: UInt64
  @usableFromInline let mask: Int
  /// The bits of a slot that hold an index plus 1; 0 in them is a free slot.
  @usableFromInline let indexMask: UInt32
  @usableFromInline var slots: [UInt32]

  /// - Parameters:
  ///   - count: how many ids it will hold at most.
  ///   - indexCount: all indexes are less than this; at most 2³¹.
  @inlinable
  init(count: Int, indexCount: Int, hashing: Hashing) {
    precondition(indexCount < 1 << 31, "a list of more than 2^31 items")
    self.hashing = hashing
    indexMask = UInt32(1) << UInt32(Int.bitWidth - indexCount.leadingZeroBitCount) &- 1
    seed = UInt64(UInt(bitPattern: ObjectIdentifier(ID.self).hashValue))
    var capacity = 8
    while capacity < count * 2 { capacity *= 2 }
    mask = capacity - 1
    slots = Array(repeating: 0, count: capacity)
  }

  /// The hash of an id; nil for a text that is not ASCII, which must be hashed as its type says:
  /// texts of different bytes can be equal.
  @inlinable
  func hash(_ id: ID) -> UInt64? {
    switch hashing {
    case .bits: return BitComparison<ID>.hash(bitsOf: id, seed: seed)
    case .ascii: return (id as? String).flatMap(hash(ascii:))
    case .standard: return BitComparison<ID>.fold(UInt64(UInt(bitPattern: id.hashValue)))
    }
  }

  @inlinable
  func hash(ascii text: String) -> UInt64? {
    let hash = text.utf8.withContiguousStorageIfAvailable { utf8 -> UInt64? in
      var all: UInt8 = 0
      for byte in utf8 { all |= byte }
      return all < 0x80 ? BitComparison<ID>.mix(UnsafeRawBufferPointer(utf8), seed: seed) : nil
    }
    return hash ?? nil
  }

  /// The slot of the id, or the free one where it would go.
  @inlinable
  func slot(_ hash: UInt64, isSame: (_ index: Int) -> Bool) -> Int {
    var slot = Int(truncatingIfNeeded: hash) & mask
    let tag = tag(of: hash)
    while slots[slot] != 0 {
      let entry = slots[slot]
      if entry & ~indexMask == tag, isSame(Int(entry & indexMask) - 1) { return slot }
      slot = (slot + 1) & mask
    }
    return slot
  }

  /// The index in a slot; nil when it is free.
  @inlinable
  func index(in slot: Int) -> Int? {
    slots[slot] == 0 ? nil : Int(slots[slot] & indexMask) - 1
  }

  @inlinable
  mutating func fill(_ slot: Int, _ hash: UInt64, index: Int) {
    slots[slot] = tag(of: hash) | UInt32(index + 1)
  }

  /// The part of a hash that a slot keeps; the slot's place comes from its low bits.
  @inlinable
  func tag(of hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) & ~indexMask }
}

extension IDTable {
  /// The indexes of the first two equal ids of a list, by the second of them; nil when there are
  /// none.
  @inlinable
  mutating func firstDuplicate(
    count: Int, id: (_ index: Int) -> ID
  ) -> (first: Int, second: Int)? {
    for index in 0..<count {
      guard let hash = hash(id(index)) else {
        var general = IDTable(count: count, indexCount: count, hashing: .standard)
        return general.firstDuplicate(count: count, id: id)
      }
      let slot = slot(hash) { id($0) == id(index) }
      if let first = self.index(in: slot) { return (first, index) }
      fill(slot, hash, index: index)
    }
    return nil
  }
}

extension IDTable.Hashing {
  /// The fastest way that fits the type.
  @inlinable
  static var fastest: Self {
    if ID.self == String.self { return .ascii }
    return isBitwise(ID.self) ? .bits : .standard
  }
}
