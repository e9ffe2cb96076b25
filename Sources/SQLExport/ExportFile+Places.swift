import ListModel
import RawSQLite

/// Finds places for new rows among those of a list.
extension ExportFile {
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
      let places = SparsePlaces.between(start, try next(after: start, of: list), count: count)
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

  /// Spreads the places around one evenly.
  private func spread(around place: Int64, of list: ListName, for count: Int) throws {
    let (old, new) = try SparsePlaces.spread(for: count) {
      try neighbours("place <= ?2 ORDER BY place DESC", place, of: list, $0)
    } above: {
      try neighbours("place > ?2 ORDER BY place", place, of: list, $0)
    }
    try move(old, to: new, of: list)
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
    try run(
      "UPDATE items SET place = place + ?2 WHERE list = ?1 AND place BETWEEN ?3 AND ?4",
      [name, .integer(SparsePlaces.away), .integer(old[0]), .integer(old[old.count - 1])])
    for (old, new) in zip(old, new) {
      try run(
        "UPDATE items SET place = ?2 WHERE list = ?1 AND place = ?3",
        [name, .integer(new), .integer(old + SparsePlaces.away)])
    }
  }
}
