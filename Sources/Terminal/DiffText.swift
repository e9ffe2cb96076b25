import ListChanges
import ListModel

/// A delta as lines for people: removals first, then the other changes in the new list's order.
package struct DiffText {
  private let delta: Delta
  private let palette: Palette

  package init(_ delta: Delta, _ palette: Palette) {
    self.delta = delta
    self.palette = palette
  }

  package var lines: [String] {
    let changes = delta.changes
    let title = [delta.list?.text, Wording.state(delta.from), "→", Wording.state(delta.to)]
      .compactMap { $0 }.joined(separator: " ")
    var lines = ["\(palette.bold(title)): \(Wording.changes(ChangeCounts(changes)))"]
    lines += changes.removed.map { removal in
      let item = Wording.item(removal.element.id, removal.element.content)
      return palette.red("- \(removal.from)  \(item)")
    }
    return lines + placements.sorted { $0.to < $1.to }.flatMap(\.lines)
  }

  private var placements: [(to: Int, lines: [String])] {
    let changes = delta.changes
    let moves = Dictionary(uniqueKeysWithValues: changes.moved.map { ($0.to, $0) })
    let updated = Set(changes.updated.map(\.to))
    let insertions = changes.inserted.map { insertion in
      let item = Wording.item(insertion.element.id, insertion.element.content)
      return (insertion.to, [palette.green("+ \(insertion.to)  \(item)")])
    }
    let bareMoves = changes.moved.filter { !updated.contains($0.to) }.map { move in
      let id = Output.printable(move.id?.text ?? "")
      return (move.to, [palette.cyan("> \(move.from) → \(move.to)  \(id)")])
    }
    let updates = changes.updated.map { update in
      let mark = moves[update.to] == nil ? "~" : ">~"
      let item = Wording.item(update.new.id, update.new.content)
      let head = palette.yellow("\(mark) \(update.from) → \(update.to)  \(item)")
      let members = update.old.content.memberChanges(to: update.new.content)
      return (update.to, [head] + members.map { "      \(Wording.member($0, palette))" })
    }
    return insertions + bareMoves + updates
  }
}
