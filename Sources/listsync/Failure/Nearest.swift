/// The known names that are most similar to an unknown one.
enum Nearest {
  private static let shownCount = 3

  /// All known names if there are at most three, else the three nearest and the total.
  static func text(to name: String, among known: [String]) -> String {
    guard known.count > shownCount else {
      return known.isEmpty ? "there are none yet" : "there are: \(known.joined(separator: ", "))"
    }
    let nearest = names(to: name, among: known).joined(separator: ", ")
    return "of \(known.count), the nearest are: \(nearest)"
  }

  /// - Complexity: at most k distances for k names; names of very different length need none.
  static func names(to name: String, among known: [String]) -> [String] {
    let bytes = Array(name.utf8)
    var nearest: [(distance: Int, name: String)] = []
    for other in known {
      if nearest.count == shownCount, let last = nearest.last,
        abs(other.utf8.count - bytes.count) >= last.distance
      {
        continue
      }
      nearest.append((distance(from: bytes, to: Array(other.utf8)), other))
      // Equal distances are ordered by name.
      nearest.sort { ($0.distance, $0.name) < ($1.distance, $1.name) }
      nearest = Array(nearest.prefix(shownCount))
    }
    return nearest.map(\.name)
  }

  /// The fewest bytes to insert, delete or replace (Wagner and Fischer, 1974).
  static func distance(from old: [UInt8], to new: [UInt8]) -> Int {
    var row = Array(0...new.count)
    for (index, byte) in old.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for (column, other) in new.enumerated() {
        let replaced = diagonal + (byte == other ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
      }
    }
    return row[new.count]
  }
}
