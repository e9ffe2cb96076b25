import ListChanges
import ListModel

/// The newest steps of a copy, from which updates for slow readers are composed.
///
/// Memory: at most as many changes as the list has items, or 256. For a reader that is further
/// behind, both lists are compared.
struct RecentSteps {
  private struct Entry {
    /// The state before the step.
    let before: ListState
    let changes: ChangeSet<Item>
    let reason: ReplicaStep.Reason
  }

  private static let leastChangeCount = 256

  private(set) var copy: ListCopy
  /// The number of all steps so far.
  private(set) var stepCount = 0
  private var entries: [Entry] = []
  /// The last step that started over, with its number from 1.
  private var lastStartOver: (number: Int, reason: ReplicaStep.Reason)?

  init(_ copy: ListCopy) { self.copy = copy }

  /// The number of changes in all kept steps, of which there are at most 256.
  var keptChangeCount: Int { entries.reduce(0) { $0 + $1.changes.count } }

  /// Replaces the copy by the same one over other rows, or by that of another process. To the
  /// latter no kept step leads.
  mutating func replaceCopy(by copy: ListCopy) {
    if copy.state != self.copy.state { entries = [] }
    self.copy = copy
  }

  mutating func append(_ step: ReplicaStep) {
    copy = step.after
    stepCount += 1
    // The readers of rows have a log of their own.
    if copy.list.known == nil { return }
    if step.reason.isStartedOver { lastStartOver = (stepCount, step.reason) }
    entries.append(Entry(before: step.before.state, changes: step.changes, reason: step.reason))
    let limit = max(Self.leastChangeCount, copy.state.count)
    var (count, surplus) = (keptChangeCount, 0)
    // Also limit steps without changes: there may be any number of them.
    while count > limit || entries.count - surplus > Self.leastChangeCount {
      count -= entries[surplus].changes.count
      surplus += 1
    }
    entries.removeFirst(surplus)
  }

  /// A single step to the present copy, from the copy after a number of steps.
  ///
  /// - Complexity: O(d log d) for the d changes of the composed steps; O(n) to look up ids of
  ///   moves, or to compare both lists.
  func step(from shown: ListCopy, after shownCount: Int) throws -> ReplicaStep {
    let newCount = stepCount - shownCount
    guard newCount > 0, newCount <= entries.count else { return try compared(shown, shownCount) }
    let new = entries.suffix(newCount)
    // The reader may have begun with another copy than the replica.
    guard new.first?.before == shown.state else { return try compared(shown, shownCount) }
    guard let composed = ChangeSet.composing(new.map(\.changes)) else {
      preconditionFailure("there is a step")
    }
    return ReplicaStep(
      before: shown, after: copy, changes: try composed.named(in: shown.list),
      reason: reason(shown, shownCount))
  }

  private func compared(_ shown: ListCopy, _ shownCount: Int) throws -> ReplicaStep {
    let (old, new) = (try shown.list.items(), try copy.list.items())
    return ReplicaStep(
      before: shown, after: copy,
      changes: Snapshot(uniqueItems: old).changes(to: Snapshot(uniqueItems: new)),
      reason: reason(shown, shownCount))
  }

  private func reason(_ shown: ListCopy, _ shownCount: Int) -> ReplicaStep.Reason {
    if shown == .empty { return .wholeList(.first) }
    if let lastStartOver, lastStartOver.number > shownCount { return lastStartOver.reason }
    if shownCount == stepCount - 1, let last = entries.last { return last.reason }
    return .changes
  }
}
