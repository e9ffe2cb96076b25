import ListChanges
import ListModel

/// The changes of a delta that a person wants to see.
struct ShownChanges {
  let removed: [ChangeSet<Item>.Removal]
  let moved: [ChangeSet<Item>.Move]
  let inserted: [ChangeSet<Item>.Insertion]
  /// Updates with their changed members, at least one each.
  let updated: [(update: ChangeSet<Item>.Update, members: [MemberChange])]

  /// - Parameter filter: the members that count. When it names members, only updates are shown.
  /// - Complexity: O(b) for the b bytes of the updated items.
  init(_ changes: ChangeSet<Item>, _ filter: MemberFilter = MemberFilter()) {
    let isWhole = filter.only.isEmpty
    removed = isWhole ? changes.removed : []
    moved = isWhole ? changes.moved : []
    inserted = isWhole ? changes.inserted : []
    updated = changes.updated.compactMap { update in
      let members = update.old.content.memberChanges(to: update.new.content, filter)
      return members.isEmpty ? nil : (update, members)
    }
  }

  var counts: ChangeCounts {
    ChangeCounts(
      removed: removed.count, moved: moved.count, inserted: inserted.count, updated: updated.count)
  }

  var isEmpty: Bool { counts.total == 0 }

  /// The ids of the changed items, each once: removed ones first, then in the order of the new
  /// list.
  var ids: [ItemID] {
    var placed = inserted.map { ($0.to, $0.element.id) }
    placed += updated.map { ($0.update.to, $0.update.new.id) }
    let known = Set(placed.map(\.0))
    placed += moved.filter { !known.contains($0.to) }.compactMap { move in
      move.id.map { (move.to, $0) }
    }
    return removed.map(\.element.id) + placed.sorted { $0.0 < $1.0 }.map(\.1)
  }
}
