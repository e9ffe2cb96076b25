import ListChanges
import ListModel

/// The newest steps of a copy, for those who were shown an older one.
///
/// It holds as many changes as the list has items, or a few; whoever is further behind gets both
/// lists compared. So its memory is bounded by the list's, whatever happens and whoever is slow.
struct StepLog {
  private struct Entry {
    /// Where the step begins.
    let before: ListState
    let changes: ChangeSet<Item>
    let reason: ReplicaStep.Reason
  }

  private static let leastChangeCount = 256

  private(set) var copy: ListCopy
  /// How many steps there were.
  private(set) var stepCount = 0
  private var entries: [Entry] = []
  /// The last step with which the replica started over, by its number from 1, and why.
  private var lastStartOver: (number: Int, reason: ReplicaStep.Reason)?

  init(_ copy: ListCopy) { self.copy = copy }

  /// In all steps that are kept, of which there are a few hundred at most.
  var keptChangeCount: Int { entries.reduce(0) { $0 + $1.changes.count } }

  mutating func append(_ step: ReplicaStep) {
    copy = step.after
    stepCount += 1
    if step.reason.isStartedOver { lastStartOver = (stepCount, step.reason) }
    entries.append(Entry(before: step.before.state, changes: step.changes, reason: step.reason))
    let limit = max(Self.leastChangeCount, copy.state.count)
    var (count, surplus) = (keptChangeCount, 0)
    // Steps that change nothing count too: there may be any number of them.
    while count > limit || entries.count - surplus > Self.leastChangeCount {
      count -= entries[surplus].changes.count
      surplus += 1
    }
    entries.removeFirst(surplus)
  }

  /// The way from a copy that was current after so many steps to the present one, as one step.
  ///
  /// - Complexity: O(d log d) for the d changes of the steps between, and O(n) where the moves'
  ///   ids are to be looked up, or there were more than are kept.
  func step(from shown: ListCopy, after shownCount: Int) -> ReplicaStep {
    let newCount = stepCount - shownCount
    guard newCount > 0, newCount <= entries.count else { return compared(shown, shownCount) }
    let new = entries.suffix(newCount)
    // Whoever was shown nothing, or another copy, did not see where the replica began.
    guard new.first?.before == shown.state else { return compared(shown, shownCount) }
    guard let composed = ChangeSet.composing(new.map(\.changes)) else {
      preconditionFailure("there is a step")
    }
    let items = shown.snapshot.items
    return ReplicaStep(
      before: shown, after: copy, changes: composed.namingMoves { items[$0].id },
      reason: reason(shown, shownCount))
  }

  private func compared(_ shown: ListCopy, _ shownCount: Int) -> ReplicaStep {
    ReplicaStep(
      before: shown, after: copy, changes: shown.snapshot.changes(to: copy.snapshot),
      reason: reason(shown, shownCount))
  }

  private func reason(_ shown: ListCopy, _ shownCount: Int) -> ReplicaStep.Reason {
    if shown == .empty { return .first }
    if let lastStartOver, lastStartOver.number > shownCount { return lastStartOver.reason }
    if shownCount == stepCount - 1, let last = entries.last { return last.reason }
    return .changes
  }
}
