/// The matched items of two lists of sections, cut where sections end, and the resulting moves.
struct SectionedMatching {
  private let old: SectionBounds
  private let new: SectionBounds
  /// Moves from one section to another.
  private var crossing: [(from: ItemPath, to: ItemPath)] = []
  /// By the new index of each section of both lists: the runs of items that stay in it, with
  /// indexes within the section.
  private var staying: [Int: (oldSection: Int, runs: [Alignment.Run])] = [:]

  init<Header, Item>(
    of items: ChangeSet<Item>, in sections: ChangeSet<Header>, old: SectionBounds,
    new: SectionBounds
  ) {
    self.old = old
    self.new = new
    let sections = Alignment(of: sections)
    for run in Alignment(of: items).runs { cut(run, sections) }
  }

  private mutating func cut(_ run: Alignment.Run, _ sections: Alignment) {
    var offset = 0
    while offset < run.count {
      let from = old.path(at: run.old + offset)
      let to = new.path(at: run.new + offset)
      let length = min(
        run.count - offset, old.range(of: from.section).count - from.item,
        new.range(of: to.section).count - to.item)
      if sections.oldIndex(ofNew: to.section) == from.section {
        staying[to.section, default: (from.section, [])].runs.append(
          Alignment.Run(old: from.item, new: to.item, count: length))
      } else {
        crossing += paths(from: from, to: to, count: length)
      }
      offset += length
    }
  }

  /// All moves, ascending by source.
  var moves: [(from: ItemPath, to: ItemPath)] {
    var moves = crossing
    for (section, (oldSection, runs)) in staying {
      let alignment = Alignment(
        oldCount: old.range(of: oldSection).count, newCount: new.range(of: section).count,
        pieces: runs)
      for (run, isKept) in zip(alignment.runs, KeptChain(alignment).isKept) where !isKept {
        moves += paths(
          from: ItemPath(section: oldSection, item: run.old),
          to: ItemPath(section: section, item: run.new), count: run.count)
      }
    }
    return moves.sorted { $0.from < $1.from }
  }

  private func paths(from: ItemPath, to: ItemPath, count: Int) -> [(from: ItemPath, to: ItemPath)] {
    (0..<count).map {
      (
        ItemPath(section: from.section, item: from.item + $0),
        ItemPath(section: to.section, item: to.item + $0)
      )
    }
  }
}
