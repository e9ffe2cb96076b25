import ListChanges

/// The known names that are most similar to an unknown one.
enum Nearest {
  private static let shownCount = 3
  /// How many bytes of an unknown name are compared: an argument may be far longer than any name.
  private static let readByteCount = 200

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
    let bytes = Array(name.utf8.prefix(readByteCount))
    var nearest: [(distance: Int, name: String)] = []
    for other in known {
      if nearest.count == shownCount, let last = nearest.last,
        abs(other.utf8.count - bytes.count) >= last.distance
      {
        continue
      }
      nearest.append((bytes.editScript(to: Array(other.utf8)).count, other))
      // Equal distances are ordered by name.
      nearest.sort { ($0.distance, $0.name) < ($1.distance, $1.name) }
      nearest = Array(nearest.prefix(shownCount))
    }
    return nearest.map(\.name)
  }
}
