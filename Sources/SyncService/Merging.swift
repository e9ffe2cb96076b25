import ListChanges
import ListDocuments
import ListModel
import ListStore

/// A commit that was made from another version than the head is merged into the head.
extension CommitRequest {
  /// How a request is merged if the head is not the expected version.
  public struct Merging: Equatable, Sendable {
    /// Decides conflicts; nil for a merge that is refused if it has any.
    public var preferred: MergeSide?

    public init(preferring side: MergeSide? = nil) { preferred = side }
  }

  /// Says from which version the content was made, and that it is merged into the head if that is
  /// another one.
  public mutating func merge(from base: Revision, preferring side: MergeSide? = nil) {
    expected = [base]
    merging = Merging(preferring: side)
  }
}

/// A request that was merged into the head, within one transaction.
struct MergedRequest {
  /// From the head to the merged list.
  let step: ProvenStep
  let report: MergeReport
  let note: MergeNote
}

extension Head {
  /// The merge of a request into the head, which is not the version that the request expects; or
  /// the outcome of the merge, if it was stored before. Nil for a request that does not merge.
  ///
  /// The merge is always made from the original base, so a commit that is prepared again because
  /// the head moved gives what it had given at once.
  ///
  /// - Throws: `ServiceError.conflicts` when both sides changed something in different ways, and no
  ///   side is preferred; `.tooOld` when the base was pruned, `.diverged` when it is of another
  ///   history, `.noSuchVersion`; `.misfit` when changes start from another state than the base,
  ///   or do not fit it; errors of edits.
  /// - Complexity: for d changes of mine and e changes since the base, O((d + e) log (d + e)). A
  ///   whole list is compared with the head by groups, and the base is not read; for changes and
  ///   edits, O(n) numbers of the n items of the base are read.
  mutating func merge(
    _ request: CommitRequest, _ onProgress: (CommitStage) -> Void
  ) throws -> (MergedRequest?, CommitOutcome?) {
    guard let merging = request.merging, let revision = request.expected.first else {
      return (nil, nil)
    }
    onProgress(.merging)
    let base = try reader.state(of: revision, in: list)
    let theirs = try reader.delta(of: list, from: base, to: state).changes
    let mine = try mine(of: request, from: base, theirs: theirs)
    let note = MergeNote(base: base.knownCursor, changes: BareChanges(mine).digest)
    if let outcome = try outcome(ofMerged: request, note) { return (nil, outcome) }
    let merge = mine.mergedByMembers(into: theirs, preferring: merging.preferred)
    if merge.changes?.isEmpty != true,
      let record = try firstVersion(withAllOf: mine, since: base, preferring: merging.preferred)
    {
      return (nil, .found(record, isOwn: false))
    }
    let conflicts = MergeConflicts(merge.conflicts)
    guard let changes = merge.changes else {
      throw ServiceError.conflicts(
        conflicts, list: list.name, base: base.knownCursor, head: cursor)
    }
    let report = MergeReport(
      base: base.knownCursor, head: cursor, mine: .init(mine), theirs: .init(theirs),
      preferred: merging.preferred, conflicts: conflicts)
    return (MergedRequest(step: try proven(named(changes)), report: report, note: note), nil)
  }

  /// The canonical changes that a request makes to its base, every move named.
  ///
  /// - Parameter theirs: from the base to the head.
  private mutating func mine(
    of request: CommitRequest, from base: ListState, theirs: ChangeSet<Item>
  ) throws -> ChangeSet<Item> {
    switch request.content {
    case .whole(let new):
      return try namedFromBase(theirs.composed(with: step(to: new).changes), theirs: theirs)
    case .edits(let edits):
      var old = try Head(of: list, at: base.version, in: reader)
      return try old.step(edits)
    case .revert(let revision):
      return try reader.delta(of: list, from: base, to: reader.state(of: revision, in: list))
        .changes
    case .changes(let changes, let start, let end):
      guard base.isState(start) else {
        throw ServiceError.misfit(
          list: list.name,
          reason: """
            they start from \(start.cursor?.short ?? "another list"), not from the base \
            \(base.knownCursor.short)
            """)
      }
      var old = try Head(of: list, at: base.version, in: reader)
      let mine = try old.step(changes)
      if let end { try check(mine, leadTo: end, theirs: theirs) }
      return mine
    }
  }

  /// Changes of the base, every move named. An item that only the composition moves has no name
  /// in either step: the head has it, at another index.
  private mutating func namedFromBase(
    _ changes: ChangeSet<Item>, theirs: ChangeSet<Item>
  ) throws -> ChangeSet<Item> {
    let unnamed = changes.moved.filter { $0.id == nil }.map(\.from)
    if unnamed.isEmpty { return changes }
    let toHead = Alignment(of: theirs.inverted())
    let removed = Dictionary(uniqueKeysWithValues: theirs.removed.map { ($0.from, $0.element.id) })
    let held = Dictionary(
      uniqueKeysWithValues: unnamed.compactMap { index in
        toHead.oldIndex(ofNew: index).map { (index, $0) }
      })
    let items = try items(at: Array(held.values))
    return changes.namingMoves { index in
      guard let id = removed[index] ?? held[index].flatMap({ items[$0]?.id }) else {
        preconditionFailure("theirs keeps or removes each item of the base")
      }
      return id
    }
  }

  /// Checks the end that an author states. The tree of the head is known, that of the base is not.
  private mutating func check(
    _ mine: ChangeSet<Item>, leadTo end: ListState, theirs: ChangeSet<Item>
  ) throws {
    let root = try proven(named(theirs.inverted().composed(with: mine))).root
    guard (mine.newCount, root) != (end.count, end.root) else { return }
    throw ServiceError.misfit(
      list: list.name, reason: "they lead to the root \(root), not to \(end.root)")
  }
}

extension Head {
  /// The outcome of a merge that was stored before: a version after the base says in its message
  /// that it merged these changes to that base.
  ///
  /// - Complexity: O(v) records for the v versions after the base.
  private func outcome(ofMerged request: CommitRequest, _ note: MergeNote) throws
    -> CommitOutcome?
  {
    var first = max(note.base.version.next, list.oldest)
    while first <= list.head {
      let last = Version(min(first.number + 1023, list.head.number))
      let records = try reader.records(of: first...last, in: list)
      if let record = records.first(where: { $0.note.merge == note }) {
        let isOwn =
          request.author.hasSameBytes(as: record.note.author)
          && record.note.message.hasSameBytes(as: note.message(request.message))
        return .found(record, isOwn: isOwn)
      }
      first = last.next
    }
    return nil
  }

  /// The first version between the base and the head into which mine would have been merged without
  /// a change: a merge that stored nothing, or equal changes of others. Whatever happened to them
  /// since was done by somebody who had seen them.
  ///
  /// - Returns: nil also where looking for it would be long.
  private func firstVersion(
    withAllOf mine: ChangeSet<Item>, since base: ListState, preferring side: MergeSide?
  ) throws -> VersionRecord? {
    let range = base.version.next...list.head
    guard !mine.isEmpty, range.count > 1, range.lowerBound >= list.firstStep,
      try reader.changeCount(range, of: list.key) <= Self.searchedChangeCount
    else { return nil }
    let ids = mine.touchedIDs
    let steps = try reader.named(reader.steps(range, of: list.key).map(\.changes), of: list.key)
    var (parts, workCount): ([ChangeSet<Item>], Int) = ([], 0)
    for (version, step) in zip(range.lowerBound.number..., steps.dropLast()) {
      parts.append(step)
      guard
        !step.touchedIDs.isDisjoint(with: ids) || (!mine.moved.isEmpty && !step.moved.isEmpty),
        let theirs = ChangeSet.composing(parts)
      else { continue }
      parts = [theirs]
      if mine.mergedByMembers(into: theirs, preferring: side).changes?.isEmpty == true {
        return try reader.record(of: Version(version), in: list)
      }
      workCount += theirs.count + mine.count
      if workCount > Self.mergedChangeCount { return nil }
    }
    return nil
  }

  private static let searchedChangeCount = 1 << 16
  private static let mergedChangeCount = 1 << 20
}

extension ChangeSet<Item> {
  fileprivate var touchedIDs: Set<ItemID> {
    Set(
      removed.map(\.element.id) + moved.compactMap(\.id) + inserted.map(\.element.id)
        + updated.map(\.new.id))
  }
}

extension ClosedRange<Version> {
  fileprivate var count: Int { upperBound.number - lowerBound.number + 1 }
}
