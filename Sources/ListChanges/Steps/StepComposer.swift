/// Composes many steps into one change set: a rope of the list that they lead to, and their effects
/// on its items.
@usableFromInline
struct StepComposer<Element: Identifiable & Equatable> {
  @usableFromInline typealias Changes = ChangeSet<Element>

  @usableFromInline let oldCount: Int
  @usableFromInline var rope: Rope
  @usableFromInline var items: ComposedItems<Element>

  /// - Parameter nodeCapacity: the capacity of the rope's nodes, small in tests.
  @inlinable
  init(oldCount: Int, nodeCapacity: Int = Rope.nodeCapacity) {
    self.oldCount = oldCount
    rope = Rope(count: oldCount, nodeCapacity: nodeCapacity)
    items = ComposedItems(oldCount: oldCount)
  }

  @inlinable
  mutating func append(_ step: Changes) { rope.apply(step, updating: &items) }

  /// The canonical change set of all steps.
  ///
  /// - Complexity: O(d log d) for the d changes of the steps.
  @inlinable
  func changeSet() -> Changes {
    let touched = TouchedItems(items.touches)
    var pieces: [Alignment.Run] = []
    var inserted: [Changes.Insertion] = []
    var updated: [Changes.Update] = []
    var (index, next) = (0, 0)
    rope.forEachSegment { start, count in
      if start < oldCount {
        let piece = Alignment.Run(old: start, new: index, count: count)
        pieces.append(piece)
        next = touched.position(notBelow: start, near: next)
        touched.appendUpdates(of: piece, from: &next, to: &updated)
      } else {
        let first = start - items.firstPlacedName
        for offset in 0..<count {
          inserted.append(.init(to: index + offset, element: items.placed[first + offset]))
        }
      }
      index += count
    }
    return Changes(
      alignment: Alignment(oldCount: oldCount, newCount: index, pieces: pieces),
      removed: touched.removals, inserted: inserted, updated: updated
    ) { from, _ in items.movedIDs[from] ?? touched.id(ofOld: from) }
  }
}
