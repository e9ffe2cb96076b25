import ListChanges
import ListModel

/// Changes as lines for people: removals first, then the other changes in the new list's order.
struct DiffText {
  private let changes: ShownChanges
  private let titlePath: JSONPointer?
  private let palette: Palette

  /// - Parameter titlePath: the member that is an item's title; nil for the usual members.
  init(_ changes: ShownChanges, titlePath: JSONPointer? = nil, _ palette: Palette) {
    (self.changes, self.titlePath, self.palette) = (changes, titlePath, palette)
  }

  /// A line with a title and the counts, and the changes.
  func lines(titled title: String) -> [String] {
    [Wording.title(title, changes, palette)] + lines
  }

  var lines: [String] {
    let removals = changes.removed.map { removal in
      palette.red("- \(removal.from)  \(name(of: removal.element))")
    }
    return removals + placements.sorted { $0.to < $1.to }.flatMap(\.lines)
  }

  private var placements: [(to: Int, lines: [String])] {
    let moves = Dictionary(uniqueKeysWithValues: changes.moved.map { ($0.to, $0) })
    let updated = Set(changes.updated.map(\.update.to))
    let insertions = changes.inserted.map { insertion in
      (insertion.to, [palette.green("+ \(insertion.to)  \(name(of: insertion.element))")])
    }
    let bareMoves = changes.moved.filter { !updated.contains($0.to) }.map { move in
      let id = Output.printable(move.id?.text ?? "")
      return (move.to, [palette.cyan("> \(move.from) → \(move.to)  \(id)")])
    }
    let updates = changes.updated.map { update, members in
      let mark = moves[update.to] == nil ? "~" : ">~"
      let item = name(of: update.new)
      let head = palette.yellow("\(mark) \(update.from) → \(update.to)  \(item)")
      return (update.to, [head] + members.map { "      \(Wording.member($0, palette))" })
    }
    return insertions + bareMoves + updates
  }

  private func name(of item: Item) -> String {
    Wording.item(item.id, item.content, titlePath: titlePath)
  }

  /// A line with a title and the counts, and a line for each changed member, the most changed
  /// first, with the first of its changes: `~ 12  /rating  such as 8.1 → 8.2`.
  func counts(titled title: String) -> [String] {
    var counts: [JSONPointer: (count: Int, first: MemberChange)] = [:]
    for change in changes.updated.flatMap(\.members) {
      counts[change.path, default: (0, change)].count += 1
    }
    let width = "\(counts.values.map(\.count).max() ?? 0)".count
    let lines = counts.sorted { a, b in
      (b.value.count, a.key.description) < (a.value.count, b.key.description)
    }.map { _, value in
      let number = "\(value.count)".leftPadding(to: width)
      let values = Wording.values(value.first, palette)
      return
        "\(palette.yellow("~ \(number)"))  \(Wording.path(value.first.path))  such as \(values)"
    }
    return [Wording.title(title, changes, palette)] + lines
  }
}
