/// A hash table from ids to indexes of a list, for one comparison: open addressing with linear
/// probing.
///
/// A slot has 4 bytes: the index plus 1 in as many low bits as indexes need, and some bits of the
/// hash above, so that most unequal ids are distinguished without reading them.
@usableFromInline
struct IDMatcher<ID: Hashable> {
  /// How ids are hashed: by their bits, as ASCII, or with `Hashable`.
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
  ///   - count: the highest number of ids.
  ///   - indexCount: greater than all indexes; at most 2³¹.
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

  /// The hash of an id; nil for a text that is not ASCII. It needs `.standard`, because texts of
  /// different bytes can be equal.
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

  /// The slot of the id, or the free slot for it.
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

  /// The bits of a hash that a slot holds; its low bits determine the slot.
  @inlinable
  func tag(of hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) & ~indexMask }
}

extension IDMatcher {
  /// The indexes of two equal ids of a list, the second as small as possible; nil without any.
  @inlinable
  mutating func firstDuplicate(
    count: Int, id: (_ index: Int) -> ID
  ) -> (first: Int, second: Int)? {
    for index in 0..<count {
      guard let hash = hash(id(index)) else {
        var general = IDMatcher(count: count, indexCount: count, hashing: .standard)
        return general.firstDuplicate(count: count, id: id)
      }
      let slot = slot(hash) { id($0) == id(index) }
      if let first = self.index(in: slot) { return (first, index) }
      fill(slot, hash, index: index)
    }
    return nil
  }
}

extension IDMatcher.Hashing {
  /// The fastest hashing for the type.
  @inlinable
  static var fastest: Self {
    if ID.self == String.self { return .ascii }
    return isBitwise(ID.self) ? .bits : .standard
  }
}
