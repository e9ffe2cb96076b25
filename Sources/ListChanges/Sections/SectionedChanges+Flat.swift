/// Changes of sections are changes of one flat list, with all items of all sections in order, and
/// of the sections' bounds. So matching, updates, composition and inversion use flat change sets.
extension SectionedChanges {
  /// Makes sectioned changes of flat ones.
  ///
  /// - Parameters:
  ///   - items: the changes of all items as one list. Only the matching counts, not the moves: the
  ///     matching determines the moves in a list of sections.
  ///   - identify: the id of a matched item by its flat indexes in both lists; nil if not known.
  /// - Complexity: O(d log d) for d flat changes and the sections' bounds.
  init(
    sections: ChangeSet<Header>, items: ChangeSet<Item>, oldItemCounts: [Int],
    newItemCounts: [Int], identify: (_ from: Int, _ to: Int) -> Item.ID?
  ) {
    let old = SectionBounds(itemCounts: oldItemCounts)
    let new = SectionBounds(itemCounts: newItemCounts)
    self.init(
      oldItemCounts: oldItemCounts, newItemCounts: newItemCounts, sections: sections,
      removed: items.removed.map { ItemRemoval(from: old.path(at: $0.from), element: $0.element) },
      moved: SectionedMatching(of: items, in: sections, old: old, new: new).moves.map {
        ItemMove(
          from: $0.from, to: $0.to, id: identify(old.index(of: $0.from), new.index(of: $0.to)))
      },
      inserted: items.inserted.map { ItemInsertion(to: new.path(at: $0.to), element: $0.element) },
      updated: items.updated.map {
        ItemUpdate(from: old.path(at: $0.from), to: new.path(at: $0.to), old: $0.old, new: $0.new)
      })
  }

  /// The canonical changes of all items as one list; it may move every item of a moved section.
  ///
  /// - Complexity: O(d log d) for d flat changes and the number of sections.
  var flat: ChangeSet<Item> {
    let old = SectionBounds(itemCounts: oldItemCounts)
    let new = SectionBounds(itemCounts: newItemCounts)
    var names: [Int: Item.ID] = [:]
    for move in moved { names[old.index(of: move.from)] = move.id }
    return ChangeSet(
      alignment: Alignment(
        oldCount: old.itemCount, newCount: new.itemCount,
        pieces: pieces(old, new).sorted { $0.new < $1.new }),
      removed: removed.map { .init(from: old.index(of: $0.from), element: $0.element) },
      inserted: inserted.map { .init(to: new.index(of: $0.to), element: $0.element) },
      updated: updated.map {
        .init(from: old.index(of: $0.from), to: new.index(of: $0.to), old: $0.old, new: $0.new)
      }
    ) { from, _ in names[from] }
  }

  /// The flat runs of matched items: the moved ones, and the kept items of each section of both
  /// lists.
  private func pieces(_ old: SectionBounds, _ new: SectionBounds) -> [Alignment.Run] {
    var pieces = moved.map {
      Alignment.Run(old: old.index(of: $0.from), new: new.index(of: $0.to), count: 1)
    }
    let departures = Dictionary(grouping: removed.map(\.from) + moved.map(\.from), by: \.section)
    let arrivals = Dictionary(grouping: inserted.map(\.to) + moved.map(\.to), by: \.section)
    for run in Alignment(of: sections).runs {
      for (oldSection, newSection) in zip(run.old..<run.oldEnd, run.new..<run.newEnd) {
        let (oldRange, newRange) = (old.range(of: oldSection), new.range(of: newSection))
        let kept = Alignment.pieces(
          between: (departures[oldSection] ?? []).map(\.item).sorted(), of: oldRange.count,
          and: (arrivals[newSection] ?? []).map(\.item).sorted(), of: newRange.count)
        pieces += kept.map {
          Alignment.Run(
            old: oldRange.lowerBound + $0.old, new: newRange.lowerBound + $0.new, count: $0.count)
        }
      }
    }
    return pieces
  }
}
