import Foundation

/// An element that is nothing but its id, as DifferenceKit's benchmark has it.
struct Tile: Identifiable, Hashable, Sendable {
  let id: UUID
}

/// A record with a text id and a content.
struct Record: Identifiable, Hashable, Sendable {
  let id: String
  var name: String
}

/// An item and its content as two numbers, as the store compares them.
struct Numbered: Identifiable, Hashable, Sendable {
  let id: Int64
  var content: Int64
}

/// A small repeatable generator (SplitMix64; Steele, Lea and Flood, 2014).
struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

enum Workloads {
  static func tiles(_ count: Int) -> [Tile] { (0..<count).map { _ in Tile(id: UUID()) } }

  /// The source without a range, with a block of fresh elements, and a range shuffled.
  static func block(
    _ old: [Tile], remove: Range<Int>, insert: Int, at position: Int, shuffle: Range<Int>,
    _ random: inout Seeded
  ) -> [Tile] {
    var new = old
    new.removeSubrange(remove)
    new.insert(contentsOf: tiles(insert), at: position)
    new[shuffle].shuffle(using: &random)
    return new
  }

  /// Records with ids like NPS000123.
  static func records(_ count: Int, name: (Int) -> String) -> [Record] {
    (0..<count).map { number in
      let digits = String(number)
      let id = "NPS" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
      return Record(id: id, name: name(number))
    }
  }

  /// So many removals, insertions, moves and updates each, spread over the list.
  static func spread<Element>(
    _ old: [Element], edits: Int, fresh: (Int) -> Element, update: (inout Element) -> Void
  ) -> [Element] {
    var new = old
    let gap = old.count / (edits * 4 + 4)
    for edit in (0..<edits).reversed() {
      let base = edit * gap * 4 + gap
      update(&new[base + gap * 3])
      let moved = new.remove(at: base + gap * 2)
      new.insert(moved, at: (base + old.count / 2) % (new.count - 1))
      new.insert(fresh(edit), at: base + gap)
      new.remove(at: base)
    }
    return new
  }

  /// 25 edits of each kind.
  static func edited(_ old: [Record], name: String) -> [Record] {
    spread(old, edits: 25) {
      Record(id: "NEW\($0)", name: "new")
    } update: {
      $0.name = name
    }
  }
}
