/// Finds duplicate ids of a list: a hash table from ids to indexes, with open addressing and linear
/// probing. It compares ids only when their hashes match.
///
/// Hashes are those of the standard library, seeded for every process, so that no file can be made
/// whose ids collide.
package struct IDIndex {
  /// The upper half of an entry holds a half of the hash, the lower half the index plus 1; 0 is
  /// free.
  private var entries: [UInt64]
  private var count = 0

  package init(minimumCapacity: Int = 0) {
    var capacity = 16
    while capacity < minimumCapacity * 2 { capacity *= 2 }
    entries = Array(repeating: 0, count: capacity)
  }

  /// The known index of an id; nil for a new id, whose index is inserted.
  ///
  /// - Precondition: The index is less than 2³² - 1.
  package mutating func firstIndex(
    hash: Int, orInsert index: Int, isSame: (_ known: Int) -> Bool
  ) -> Int? {
    if count * 2 >= entries.count { grow() }
    let tag = UInt64(truncatingIfNeeded: hash) >> 32
    var slot = Int(tag) & (entries.count - 1)
    while entries[slot] != 0 {
      let known = Int(entries[slot] & 0xFFFF_FFFF) - 1
      if entries[slot] >> 32 == tag, isSame(known) { return known }
      slot = (slot + 1) & (entries.count - 1)
    }
    entries[slot] = tag << 32 | UInt64(UInt32(index + 1))
    count += 1
    return nil
  }

  private mutating func grow() {
    var larger = Array(repeating: UInt64(0), count: entries.count * 2)
    for entry in entries where entry != 0 {
      var slot = Int(entry >> 32) & (larger.count - 1)
      while larger[slot] != 0 { slot = (slot + 1) & (larger.count - 1) }
      larger[slot] = entry
    }
    entries = larger
  }
}
