extension ChangeSet {
  /// Makes the change set from A to C out of this one, from A to B, and the next, from B to C. It
  /// is index for index the one that comparing A with C gives, and neither list is needed.
  ///
  /// An id that this change set removes and the next inserts is matched again; an item that is
  /// inserted and removed again leaves no trace, nor does an update that ends where it began.
  ///
  /// - Precondition: the next change set starts from a list of `newCount` items. That it starts
  ///   from the very list that this one ends in cannot be seen here; the caller knows it.
  /// - Complexity: O(d log d) for the d changes of both; independent of the lists' lengths.
  @inlinable
  public func composed(with next: ChangeSet) -> ChangeSet {
    precondition(newCount == next.oldCount, "the next change set starts from another list")
    if isEmpty { return next }
    if next.isEmpty { return self }
    var composition = Composition(first: self, second: next)
    return composition.changeSet()
  }

  /// Composes a sequence of change sets, each starting where the one before it ends. The result is
  /// canonical; a sequence of one is that one as it is.
  ///
  /// - Returns: nil for an empty sequence.
  /// - Precondition: each change set starts from a list of as many items as the one before it ends
  ///   in, as in ``composed(with:)``.
  /// - Complexity: O(d log d) for d changes in all; independent of the lists' lengths.
  @inlinable
  public static func composing(_ steps: some Collection<ChangeSet>) -> ChangeSet? {
    guard let first = steps.first, steps.count > 1 else { return steps.first }
    var composer = StepComposer<Element>(oldCount: first.oldCount)
    for step in steps { composer.append(step) }
    return composer.changeSet()
  }
}

/// Two change sets, from A to B and from B to C, while they become one.
///
/// The matching of A with C is that of B with C laid over that of A with B: a run of the second is
/// cut where the runs of the first end, and what lies between those was inserted on the way to B.
@usableFromInline
struct Composition<Element: Identifiable & Equatable> {
  @usableFromInline typealias Changes = ChangeSet<Element>

  @usableFromInline let first: Changes
  @usableFromInline let second: Changes
  @usableFromInline let aToB: Alignment
  @usableFromInline let bToC: Alignment
  /// Updates on the way to B by their index in B, and on the way to C likewise.
  @usableFromInline let firstUpdate: [Int: Changes.Update]
  @usableFromInline let secondUpdate: [Int: Changes.Update]

  @usableFromInline var pieces: [Alignment.Run] = []
  @usableFromInline var inserted: [Changes.Insertion] = []
  @usableFromInline var updated: [Changes.Update] = []
  @usableFromInline var revived: Set<Element.ID> = []

  @inlinable
  init(first: Changes, second: Changes) {
    self.first = first
    self.second = second
    aToB = Alignment(of: first)
    bToC = Alignment(of: second)
    firstUpdate = Dictionary(uniqueKeysWithValues: first.updated.map { ($0.to, $0) })
    secondUpdate = Dictionary(uniqueKeysWithValues: second.updated.map { ($0.from, $0) })
  }

  @inlinable
  mutating func changeSet() -> Changes {
    for run in bToC.runs {
      cut(run)
      keepInsertions(of: run)
    }
    matchRevived()
    keepUpdates()
    let (names, laterNames, revivedNames) = (first.knownIDs, second.knownIDs, revivedIDs)
    return Changes(
      alignment: Alignment(
        oldCount: first.oldCount, newCount: second.newCount,
        pieces: pieces.sorted { $0.new < $1.new }),
      removed: removals(),
      inserted: inserted.sorted { $0.to < $1.to },
      updated: updated.sorted { $0.to < $1.to }
    ) { [bToC] from, to in
      names[from] ?? bToC.oldIndex(ofNew: to).flatMap { laterNames[$0] } ?? revivedNames[to]
    }
  }

  /// Ids that C brought back, by their index in C.
  @inlinable
  var revivedIDs: [Int: Element.ID] {
    Dictionary(
      uniqueKeysWithValues: second.inserted.filter { revived.contains($0.element.id) }
        .map { ($0.to, $0.element.id) })
  }

  /// Adds the parts of a run from B to C that come from A.
  @inlinable
  mutating func cut(_ run: Alignment.Run) {
    var position = aToB.runs.partitioningIndex { $0.newEnd > run.old }
    while position < aToB.runs.count, aToB.runs[position].new < run.oldEnd {
      let below = aToB.runs[position]
      let start = max(below.new, run.old)
      pieces.append(
        Alignment.Run(
          old: below.old + start - below.new, new: run.new + start - run.old,
          count: min(below.newEnd, run.oldEnd) - start))
      position += 1
    }
  }

  /// Adds what was inserted into B and is still in C, with the content it has there.
  @inlinable
  mutating func keepInsertions(of run: Alignment.Run) {
    var position = first.inserted.partitioningIndex { $0.to >= run.old }
    while position < first.inserted.count, first.inserted[position].to < run.oldEnd {
      let insertion = first.inserted[position]
      inserted.append(
        Changes.Insertion(
          to: run.new + insertion.to - run.old,
          element: secondUpdate[insertion.to]?.new ?? insertion.element))
      position += 1
    }
  }

  /// Matches what C inserts with what B had lost; the rest of it is new.
  @inlinable
  mutating func matchRevived() {
    guard !second.inserted.isEmpty else { return }
    let lost = Dictionary(
      uniqueKeysWithValues: first.removed.map { ($0.element.id, $0) })
    for insertion in second.inserted {
      guard let removal = lost[insertion.element.id] else {
        inserted.append(insertion)
        continue
      }
      revived.insert(insertion.element.id)
      pieces.append(Alignment.Run(old: removal.from, new: insertion.to, count: 1))
      appendUpdate(
        from: removal.from, to: insertion.to, old: removal.element, new: insertion.element)
    }
  }

  /// Adds the updates of items that neither step removes or inserts.
  @inlinable
  mutating func keepUpdates() {
    let cToB = bToC.inverted
    for update in first.updated {
      guard let to = cToB.oldIndex(ofNew: update.to) else { continue }
      let new = secondUpdate[update.to]?.new ?? update.new
      appendUpdate(from: update.from, to: to, old: update.old, new: new)
    }
    for update in second.updated where firstUpdate[update.from] == nil {
      guard let from = aToB.oldIndex(ofNew: update.from) else { continue }
      appendUpdate(from: from, to: update.to, old: update.old, new: update.new)
    }
  }

  @inlinable
  mutating func appendUpdate(from: Int, to: Int, old: Element, new: Element) {
    if old != new { updated.append(.init(from: from, to: to, old: old, new: new)) }
  }

  /// What A has and C lacks, with the content it had in A.
  @inlinable
  func removals() -> [Changes.Removal] {
    var removals = first.removed.filter { !revived.contains($0.element.id) }
    for removal in second.removed {
      guard let from = aToB.oldIndex(ofNew: removal.from) else { continue }
      let element = firstUpdate[removal.from]?.old ?? removal.element
      removals.append(.init(from: from, element: element))
    }
    return removals.sorted { $0.from < $1.from }
  }
}
