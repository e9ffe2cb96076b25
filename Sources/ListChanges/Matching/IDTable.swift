/// A hash table from ids to indexes of a list: open addressing with linear probing over 8-byte slots,
/// each a 32-bit part of the hash and an index. Made for one comparison, and thrown away.
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
  @usableFromInline var slots: [UInt64]

  /// - Parameter count: how many ids it will hold at most; below 2³¹.
  @inlinable
  init(count: Int, hashing: Hashing) {
    precondition(count < 1 << 31, "a list of more than 2^31 items")
    self.hashing = hashing
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
    let tag = hash >> 32
    while slots[slot] != 0 {
      if slots[slot] >> 32 == tag, isSame(Int(slots[slot] & 0xFFFF_FFFF) - 1) { return slot }
      slot = (slot + 1) & mask
    }
    return slot
  }

  /// The index in a slot; nil when it is free.
  @inlinable
  func index(in slot: Int) -> Int? {
    slots[slot] == 0 ? nil : Int(slots[slot] & 0xFFFF_FFFF) - 1
  }

  @inlinable
  mutating func fill(_ slot: Int, _ hash: UInt64, index: Int) {
    slots[slot] = (hash & 0xFFFF_FFFF_0000_0000) | UInt64(index + 1)
  }
}

extension IDTable {
  /// The indexes of the first two equal ids of a list, by the second of them; nil when there are none.
  @inlinable
  mutating func firstDuplicate(
    count: Int, id: (_ index: Int) -> ID
  ) -> (first: Int, second: Int)? {
    for index in 0..<count {
      guard let hash = hash(id(index)) else {
        var general = IDTable(count: count, hashing: .standard)
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
