import ListChanges
import ListModel

/// The changes in a list's segments, by their numbers or by their item.
extension ListReader {
  /// Passes changes to a receiver, each once, in ascending order.
  ///
  /// - Parameter range: the numbers of the changes, none of them before the first step that is
  ///   kept.
  /// - Throws: `StoreError.corrupt` if one of them is missing.
  func changeRows(
    _ range: Range<Int64>, of list: ListKey, _ receive: (ChangeRow) throws -> Void
  ) throws {
    var next = range.lowerBound
    for segment in try segments(of: list) where segment.changes.overlaps(range) {
      let wanted = segment.changes.clamped(to: range)
      let start = segment.steps.partitioningIndex { $0.first > wanted.lowerBound }
      let end = segment.steps.partitioningIndex { $0.first >= wanted.upperBound }
      for place in segment.steps[max(start - 1, 0)..<end] {
        let rows = try rows(in: place, of: segment, in: list)
        // The rows of a block follow each other without gaps.
        let found = wanted.clamped(to: place.first..<place.first + Int64(rows.count))
        for row in rows[Int(found.lowerBound - place.first)..<Int(found.upperBound - place.first)] {
          guard row.sequence == next else { break }
          try receive(row)
          next += 1
        }
      }
    }
    guard next == range.upperBound else {
      throw StoreError.corrupt(reason: "change \(next) of a segment is missing")
    }
  }

  /// Returns the rows of a block of steps. Keeps the rows of the last block, since an item's
  /// history often reads them again.
  func rows(
    in place: Segment.Place, of segment: Segment, in list: ListKey
  ) throws -> [ChangeRow] {
    let opened = opened(list)
    if let last = opened.lastSteps, last.block == place.block { return last.rows }
    var rows: [ChangeRow] = []
    try blocks([place], of: segment, in: list) { _, block throws(ByteReader.Malformed) in
      rows = try StepsBlock.rows(block.bytes, of: list, from: place.first)
    }
    opened.lastSteps = (place.block, rows)
    return rows
  }

  /// Passes the changes of an item to a receiver, newest first, until it returns false.
  ///
  /// - Parameter range: the changes to look at; it consists of whole steps.
  /// - Returns: whether the receiver wants more.
  /// - Complexity: reads the blocks that have the item's changes down to the last one passed, and
  ///   the blocks of their steps.
  func changeRows(
    of item: ItemKey, within range: Range<Int64>, in list: ListKey,
    _ receive: (ChangeRow) throws -> Bool
  ) throws -> Bool {
    for segment in try segments(of: list).reversed()
    where segment.changes.overlaps(range) && segment.changes.upperBound > item.sequence {
      var isWanted = true
      _ = try forEachStep(of: item.sequence, in: segment, of: list) { step in
        let changes = try self.changes(of: step, in: segment, of: list)
        if changes.lowerBound >= range.upperBound { return true }
        if changes.lowerBound < range.lowerBound { return false }
        var found: ChangeRow?
        try changeRows(changes, of: list) { if $0.item == item { found = $0 } }
        guard let found else {
          throw StoreError.corrupt(reason: "a step of an item is missing in a segment")
        }
        isWanted = try receive(found)
        return isWanted
      }
      if !isWanted { return false }
    }
    return true
  }

  /// Passes the steps of a segment that changed an item to a receiver, newest first, until it
  /// returns false.
  ///
  /// - Returns: whether the receiver wants more.
  private func forEachStep(
    of item: Int64, in segment: Segment, of list: ListKey, _ receive: (Int) throws -> Bool
  ) throws -> Bool {
    func steps(in places: [Segment.Place]) throws -> [Int] {
      var steps: [Int?] = []
      try contents(places, of: segment, in: list) { _, block throws(ByteReader.Malformed) in
        for entry in block.entries(of: item) {
          steps += block.revisions[entry.revisions].map(\.step)
        }
      }
      return try steps.map { try $0 ?? self.steps(of: [item], in: segment, of: list)[0] }
    }
    var last = Int.max
    func pass(_ step: Int) throws -> Bool {
      guard step < last else {
        throw StoreError.corrupt(reason: "the steps of an item have no order")
      }
      last = step
      try spend(1)
      return try receive(step)
    }
    // The current text has one of them, which may not be the newest.
    var current = try steps(in: Array(segment.current[segment.current.holding(item)]))
    for place in segment.older[segment.older.holding(item)] {
      for step in try steps(in: [place]) {
        while let next = current.last, next > step {
          current.removeLast()
          if try !pass(next) { return false }
        }
        if try !pass(step) { return false }
      }
    }
    for step in current where try !pass(step) { return false }
    return true
  }
}
