import ListChanges
import ListModel

/// Conflicts of a merge for people, each with its values.
enum ConflictText {
  /// The lines under the title of each item.
  ///
  /// - Parameter contents: contents of the items, for their titles.
  static func lines(
    of conflicts: [ItemMerge.Conflict], contents: [ItemID: Content] = [:]
  ) -> [String] {
    var lines: [String] = []
    for (index, conflict) in conflicts.enumerated() {
      if index == 0 || conflicts[index - 1].id != conflict.id {
        lines.append(Wording.item(conflict.id, contents[conflict.id]))
      }
      lines += self.lines(of: conflict)
    }
    return lines
  }

  private static func lines(of conflict: ItemMerge.Conflict) -> [String] {
    let member = conflict.member
    func changed(by change: Content?) -> [String] {
      guard let base = member.base, let change else { return [] }
      return base.memberChanges(to: change).map { "      \(Wording.member($0, Palette(.never)))" }
    }
    switch conflict.kind {
    case .removedByMine:
      return ["  removed by mine, changed by theirs"] + changed(by: member.theirs)
    case .removedByTheirs:
      return ["  removed by theirs, changed by mine"] + changed(by: member.mine)
    case .changed, .inserted:
      let verb = conflict.kind == .changed ? "changed" : "inserted"
      return ["  \(Wording.path(member.path))  \(verb) by both"]
        + [("base  ", member.base), ("mine  ", member.mine), ("theirs", member.theirs)].map {
          "      \($0)  \($1.map(Wording.short) ?? "(none)")"
        }
    }
  }
}
