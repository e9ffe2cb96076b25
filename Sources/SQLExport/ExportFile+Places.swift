import ListModel
import RawSQLite

/// Finds places for new rows among those of a list. Places are sparse numbers: between two of them
/// there is mostly room for more. Where there is none, the places around are spread again.
extension ExportFile {
  /// The distance of two rows that are placed at the start or the end of a list.
  private static let gap: Int64 = 1 << 20
  /// How many neighbours on each side are spread at first.
  private static let neighbourCount = 32

  /// Places between a row and the next one of the list, ascending.
  ///
  /// - Parameters:
  ///   - count: how many, 1 or more.
  ///   - row: the row before them; nil for the start of the list.
  /// - Complexity: 2 statements, if there is room. A spreading of k places costs k statements, and
  ///   comes after twelve groups at one place or more; `RowAppenderTests` counts.
  func places(for count: Int, behind row: Int64?, of list: ListName) throws -> [Int64] {
    while true {
      let start = try row.flatMap { row in
        try integer("SELECT place FROM items WHERE rowid = ?", [.integer(row)])
      }
      let places = Self.places(count, from: start, to: try next(after: start, of: list))
      if let places { return places }
      // Only between two rows there can be too little room.
      try spread(around: start ?? 0, of: list, for: count)
    }
  }

  /// The lowest place of a list above another one, or of all.
  private func next(after place: Int64?, of list: ListName) throws -> Int64? {
    guard let place else {
      return try integer("SELECT min(place) FROM items WHERE list = ?", [.text(list.text)])
    }
    return try integer(
      "SELECT min(place) FROM items WHERE list = ? AND place > ?",
      [.text(list.text), .integer(place)])
  }

  /// Places between two others, spread evenly; nil if there is too little room. Without one of the
  /// two, there is always room, and they have a distance.
  static func places(
    _ count: Int, from start: Int64?, to end: Int64?, _ distance: Int64 = gap
  ) -> [Int64]? {
    let count = Int64(count)
    guard let start, let end else {
      let first = start.map { $0 + distance } ?? end.map { $0 - count * distance } ?? distance
      return (0..<count).map { first + $0 * distance }
    }
    guard end - start > count else { return nil }
    let (distance, rest) = (end - start).quotientAndRemainder(dividingBy: count + 1)
    return (1...count).map { start + $0 * distance + $0 * rest / (count + 1) }
  }

  /// Spreads the places around one evenly, so that a number of places fits between any two, and
  /// room is left for twelve more halvings. It takes as few as have room together, on both sides.
  private func spread(around place: Int64, of list: ListName, for count: Int) throws {
    let least = max(2 * Int64(count + 1), 1 << 12)
    var limit = Self.neighbourCount
    while true {
      // One more on each side stays where it is.
      let below = try neighbours("place <= ?2 ORDER BY place DESC", place, of: list, limit + 1)
      let above = try neighbours("place > ?2 ORDER BY place", place, of: list, limit + 1)
      let start = below.count > limit ? below.last : nil
      let end = above.count > limit ? above.last : nil
      let old: [Int64] = below.prefix(limit).reversed() + above.prefix(limit)
      limit *= 4
      guard let new = Self.places(old.count, from: start, to: end, max(Self.gap, least)),
        zip(new, new.dropFirst()).allSatisfy({ $1 - $0 >= least }),
        start.map({ new[0] - $0 >= least }) ?? true,
        end.map({ $0 - new[new.count - 1] >= least }) ?? true
      else { continue }
      try move(old, to: new, of: list)
      return
    }
  }

  private func neighbours(
    _ condition: String, _ place: Int64, of list: ListName, _ limit: Int
  ) throws -> [Int64] {
    var found: [Int64] = []
    try run(
      "SELECT DISTINCT place FROM items WHERE list = ?1 AND \(condition) LIMIT \(limit)",
      [.text(list.text), .integer(place)]
    ) { found.append($0.integer(0)) }
    return found
  }

  /// Gives rows other places. First all go where no row is, since a new place may be an old one.
  private func move(_ old: [Int64], to new: [Int64], of list: ListName) throws {
    let name = RawValue.text(list.text)
    let away: Int64 = 1 << 60
    try run(
      "UPDATE items SET place = place + ?2 WHERE list = ?1 AND place BETWEEN ?3 AND ?4",
      [name, .integer(away), .integer(old[0]), .integer(old[old.count - 1])])
    for (old, new) in zip(old, new) {
      try run(
        "UPDATE items SET place = ?2 WHERE list = ?1 AND place = ?3",
        [name, .integer(new), .integer(old + away)])
    }
  }
}
