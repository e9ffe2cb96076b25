/// The order of sections between the stages: the new list's order, with the removed sections from
/// which items still have to move away, each at its old place among the kept ones.
///
///     old      A B C         B is removed, D inserted, and an item moves from B to D
///     between  A D B C
///     new      A D C
struct StagePlan<Header: Identifiable & Equatable, Item: Identifiable & Equatable> {
  typealias Changes = SectionedChanges<Header, Item>

  let changes: Changes
  let removedSections: Set<Int>
  let insertedSections: Set<Int>
  /// The removed sections from which items move away, ascending.
  let emptied: [ChangeSet<Header>.Removal]
  let emptiedSections: Set<Int>
  /// The index between the stages of each section of the old list; nil for one deleted before.
  private var oldToBetween: [Int?]
  /// The index between the stages of each section of the new list.
  private(set) var newToBetween: [Int] = []

  init(_ changes: Changes) {
    self.changes = changes
    removedSections = Set(changes.sections.removed.map(\.from))
    insertedSections = Set(changes.sections.inserted.map(\.to))
    let sources = Set(changes.moved.map(\.from.section))
    emptied = changes.sections.removed.filter { sources.contains($0.from) }
    emptiedSections = Set(emptied.map(\.from))
    oldToBetween = Array(repeating: nil, count: changes.sections.oldCount)
    arrange()
  }

  private mutating func arrange() {
    let alignment = Alignment(of: changes.sections)
    let placed = Set(changes.sections.arrivals)
    var waiting = emptied[...]
    var end = 0
    func place(_ section: inout Int?) {
      section = end
      end += 1
    }
    for new in 0..<changes.sections.newCount {
      let old = alignment.oldIndex(ofNew: new)
      if let old, !placed.contains(new) {
        while let next = waiting.first, next.from < old {
          place(&oldToBetween[next.from])
          waiting.removeFirst()
        }
      }
      newToBetween.append(end)
      if let old { oldToBetween[old] = end }
      end += 1
    }
    for next in waiting { place(&oldToBetween[next.from]) }
  }
}

extension StagePlan {
  var countBetween: Int { newToBetween.count + emptied.count }

  func between(oldSection section: Int) -> Int {
    guard let between = oldToBetween[section] else {
      preconditionFailure("section \(section) is deleted before its items move away")
    }
    return between
  }

  func between(old path: ItemPath) -> ItemPath {
    ItemPath(section: between(oldSection: path.section), item: path.item)
  }

  func between(new path: ItemPath) -> ItemPath {
    ItemPath(section: newToBetween[path.section], item: path.item)
  }

  /// The old counts; in inserted sections the number of inserted items.
  var countsBeforeItems: [Int] {
    var counts = Array(repeating: 0, count: countBetween)
    for (section, between) in oldToBetween.enumerated() {
      if let between { counts[between] = changes.oldItemCounts[section] }
    }
    for insertion in changes.inserted where insertedSections.contains(insertion.to.section) {
      counts[newToBetween[insertion.to.section]] += 1
    }
    return counts
  }

  /// The new counts; in sections still to be deleted the number of items deleted with them.
  var countsAfterItems: [Int] {
    var counts = Array(repeating: 0, count: countBetween)
    for (section, between) in newToBetween.enumerated() {
      counts[between] = changes.newItemCounts[section]
    }
    for removal in changes.removed where emptiedSections.contains(removal.from.section) {
      counts[between(oldSection: removal.from.section)] += 1
    }
    return counts
  }
}
