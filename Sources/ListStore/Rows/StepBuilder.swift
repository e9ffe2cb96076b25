import ListChanges
import ListModel

/// A builder of the change set of one step, from its rows in the order of their numbers.
package struct StepBuilder {
  package typealias Changes = ChangeSet<StoredItem>

  private var removed: [Changes.Removal] = []
  private var moved: [Changes.Move] = []
  private var inserted: [Changes.Insertion] = []
  private var updated: [Changes.Update] = []

  /// - Parameter counts: the expected number of changes of each kind; nil if no changes will
  ///   follow.
  package init(counts: ChangeCounts?) {
    guard let counts else { return }
    let limit = 1 << 20
    removed.reserveCapacity(max(0, min(counts.removed, limit)))
    moved.reserveCapacity(max(0, min(counts.moved, limit)))
    inserted.reserveCapacity(max(0, min(counts.inserted, limit)))
    updated.reserveCapacity(max(0, min(counts.updated, limit)))
  }

  package mutating func add(_ row: ChangeRow) throws {
    let old = row.oldContent.map { StoredItem(id: row.item, content: $0) }
    let new = row.newContent.map { StoredItem(id: row.item, content: $0) }
    switch (row.kind, row.from, row.to, old, new) {
    case (.remove, let from?, nil, let old?, nil):
      removed.append(.init(from: from, element: old))
    case (.insert, nil, let to?, nil, let new?):
      inserted.append(.init(to: to, element: new))
    case (.move, let from?, let to?, let old?, let new?):
      moved.append(.init(from: from, to: to, id: row.item))
      if old != new { updated.append(.init(from: from, to: to, old: old, new: new)) }
    case (.update, let from?, let to?, let old?, let new?) where old != new:
      updated.append(.init(from: from, to: to, old: old, new: new))
    default: throw StoreError.corrupt(reason: "a change lacks a part, or has one too many")
    }
  }

  package func changeSet(oldCount: Int, newCount: Int) throws -> Changes {
    try Changes(
      oldCount: oldCount, newCount: newCount, removed: removed, moved: moved, inserted: inserted,
      updated: updated.sorted { $0.to < $1.to })
  }
}
