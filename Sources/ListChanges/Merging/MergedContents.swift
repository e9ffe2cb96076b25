/// Decides which items a merged list has, and their contents.
@usableFromInline
struct MergedContents<Element: Identifiable & Equatable> {
  @usableFromInline typealias Changes = ChangeSet<Element>

  @usableFromInline let mine: Changes
  @usableFromInline let theirs: Changes
  /// From theirs to mine.
  @usableFromInline let across: Changes
  @usableFromInline let side: MergeSide?
  @usableFromInline var conflicts: [MergeConflict<Element>] = []
  /// The items of theirs that the merged list lacks.
  @usableFromInline var removed: [Changes.Removal] = []
  /// The items that theirs lacks, by their index in mine.
  @usableFromInline var inserted: [Int: Element] = [:]
  /// The items of theirs that get another content, by their index in theirs.
  @usableFromInline var updated: [(index: Int, old: Element, new: Element)] = []

  @inlinable
  init(mine: Changes, theirs: Changes, across: Changes, preferring side: MergeSide?) {
    self.mine = mine
    self.theirs = theirs
    self.across = across
    self.side = side
  }

  @inlinable
  mutating func merge(
    _ merging: (_ base: Element?, _ mine: Element, _ theirs: Element) -> Element?
  ) {
    // What each side changed, by the index in its list.
    let (mineOld, theirsOld) = (Self.oldContents(mine), Self.oldContents(theirs))
    for update in across.updated.sorted(by: { $0.from < $1.from }) {
      mergeContents(
        update, base: (mineOld[update.to], theirsOld[update.from]), merging)
    }
    let theirsOwn = Set(theirs.inserted.map { $0.to })
    for removal in across.removed where !theirsOwn.contains(removal.from) {
      mergeRemoval(removal, base: theirsOld[removal.from])
    }
    let mineOwn = Set(mine.inserted.map { $0.to })
    for insertion in across.inserted {
      mergeInsertion(insertion, isOwn: mineOwn.contains(insertion.to), mineOld[insertion.to])
    }
  }

  @inlinable
  static func oldContents(_ changes: Changes) -> [Int: Element] {
    Dictionary(uniqueKeysWithValues: changes.updated.map { ($0.to, $0.old) })
  }

  /// Merges the contents of an item that both sides have with different contents.
  ///
  /// - Parameter base: the content in the base, for each side that changed it; nil for both sides
  ///   if both inserted the item.
  @inlinable
  mutating func mergeContents(
    _ update: Changes.Update, base: (ofMine: Element?, ofTheirs: Element?),
    _ merging: (_ base: Element?, _ mine: Element, _ theirs: Element) -> Element?
  ) {
    let (theirs, mine) = (update.old, update.new)
    var merged = mine
    switch base {
    case (.some, nil): break
    case (nil, .some): return
    case (let base, _):
      if let both = merging(base, mine, theirs) {
        precondition(both.id == mine.id, "a merged item keeps its id")
        merged = both
      } else {
        conflicts.append(MergeConflict(base: base, mine: mine, theirs: theirs))
        if side != .mine { return }
      }
    }
    if merged != theirs { updated.append((update.from, theirs, merged)) }
  }

  /// An item that mine removed.
  ///
  /// - Parameter base: its old content if theirs changed it.
  @inlinable
  mutating func mergeRemoval(_ removal: Changes.Removal, base: Element?) {
    if let base {
      conflicts.append(MergeConflict(base: base, mine: nil, theirs: removal.element))
      if side == .theirs { return }
    }
    removed.append(removal)
  }

  /// An item that mine inserted, or that theirs removed.
  ///
  /// - Parameter base: its old content if mine changed it.
  @inlinable
  mutating func mergeInsertion(_ insertion: Changes.Insertion, isOwn: Bool, _ base: Element?) {
    if !isOwn {
      guard let base else { return }
      conflicts.append(MergeConflict(base: base, mine: insertion.element, theirs: nil))
      if side != .mine { return }
    }
    inserted[insertion.to] = insertion.element
  }

  /// The canonical change set from theirs to the merged list.
  @inlinable
  func changes() -> Changes {
    let order = MergedOrder(
      // Which items mine moved must not depend on how its change set was made.
      moved: mine.canonical().moved.map { $0.to }, inserted: mine.inserted.map { $0.to },
      absent: across.inserted.map { $0.to }, brought: Set(inserted.keys),
      removed: removed.map { $0.from }, matching: Alignment(of: across))
    let toMerged = order.alignment.inverted
    let names = across.knownIDs
    return Changes(
      alignment: order.alignment, removed: removed,
      inserted: order.inserted.compactMap { place in
        inserted[place.mine].map { .init(to: place.merged, element: $0) }
      },
      updated: updated.compactMap { update in
        toMerged.oldIndex(ofNew: update.index).map {
          .init(from: update.index, to: $0, old: update.old, new: update.new)
        }
      }.sorted { $0.to < $1.to }
    ) { from, _ in names[from] }
  }
}
