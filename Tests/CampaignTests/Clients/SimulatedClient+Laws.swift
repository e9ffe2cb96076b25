import ListChanges
import ListChangesTesting
import ListModel
import SyncClient

/// The laws of a client at every moment.
extension SimulatedClient {
  /// Judges a step before it is saved: it must lead from the saved copy to a version that the
  /// server had.
  func judge(_ step: ReplicaStep, by server: LiveServer) throws {
    guard let known = server.known[list] else { throw Violation("there is no list \(list)") }
    try require(step.before == saved, "a step begins at \(step.before.cursor), not where it is")
    let after = step.after
    if let snapshot = known.snapshot(after.cursor) {
      try require(
        snapshot == after.snapshot && known.state(after.cursor) == after.state,
        "the list at \(after.cursor) is not that version")
      try judgeWay(step, known)
      isCursorSuspect = false
    } else {
      try require(
        isAnswerFalse && known.has(after.snapshot),
        "\(after.cursor) is no version that there ever was")
      isCursorSuspect = true
    }
    try judgeReason(step, server)
  }

  private func judgeWay(_ step: ReplicaStep, _ known: KnownVersions) throws {
    let (from, to) = (step.before.cursor, step.after.cursor)
    if step.reason.isStartedOver { return }
    try require(to.version > from.version, "\(from) falls to \(to) as \(step.reason)")
    try require(
      isCursorSuspect || known.leads(from: from, to: to),
      "\(to) is of another history than \(from), and the reason is \(step.reason)")
  }

  private func judgeReason(_ step: ReplicaStep, _ server: LiveServer) throws {
    let isExplained =
      switch step.reason {
      case .changes: true
      case .wholeList(.first): step.before == .empty
      case .wholeList(.smaller): false
      case .wholeList(.tooOld): server.pruneCount > 0
      case .wholeList(.diverged): server.restoreCount > 0 || hadFalseAnswer || isFileDamaged
      case .mismatch: falseCount > 0 || isCursorSuspect
      }
    try require(isExplained, "it starts over for no reason: \(step.reason)")
  }

  /// Shows a step by its batch, as a view does.
  func show(_ step: ReplicaStep) throws {
    try require(step.before == shown, "a step begins at \(step.before.cursor), not as shown")
    try require(step.after == saved, "\(step.after.cursor) is shown, \(saved.cursor) is saved")
    do {
      try view.performBatchUpdates(
        step.changes.batchUpdates(), showing: step.after.snapshot.items)
    } catch {
      throw Violation("a view refuses the batch to \(step.after.cursor): \(error)")
    }
    try require(
      view.displayed == [step.after.snapshot.items],
      "the batch to \(step.after.cursor) shows something else")
    shown = step.after
    if step.reason == .changes { (falseCount, damagedCount) = (0, 0) }
  }

  /// Judges the copy that a new process finds: the last saved one, list and cursor together.
  func judgeLoaded(_ copy: ListCopy, _ server: LiveServer) throws {
    if place.kind == .memory { return try require(copy == .empty, "it is there already") }
    if copy == saved || copy == perhapsSaved { return }
    try require(isFileDamaged, "\(copy.cursor) was loaded, \(saved.cursor) was saved")
    if copy == .empty { return }
    try require(
      copy.snapshot == saved.snapshot || copy.snapshot == perhapsSaved?.snapshot,
      "a list was loaded that was not saved last")
    isCursorSuspect = true
  }

  /// Judges the reaction to a damaged answer: start over once, and end the second time.
  func judgeDamaged() throws {
    damagedCount += 1
    switch machine?.state {
    case .asking(let request):
      try require(
        damagedCount == 1 && request.purpose == .startOver,
        "it goes on after \(damagedCount) damaged answers")
    // An answer before it may have been wrong in another way.
    case .failed: break
    default: throw Violation("a damaged answer leads to neither a new start nor an end")
    }
  }

  /// Judges the reason why a client gave up: an event must explain it by the documentation.
  func judgeFailure(_ error: ReplicaError) throws {
    let isExplained =
      switch error {
      case .unauthenticated: statuses.contains(401)
      case .noSuchList: statuses.contains(404)
      case .gone: statuses.contains(410)
      case .mismatchAgain: falseCount + (isCursorSuspect ? 1 : 0) > 1
      case .gaveUp(let count, let cause):
        count == options.retry.tryLimit && (meter.failureCount > 0 || cause == .misdelivered)
      case .notSaved: hadSaveFault
      case .damagedFile, .changedRows, .foreignFile, .newerFile, .otherSource, .cannotOpen:
        isFileDamaged
      case .forbidden, .refused, .answerTooLong, .badAddress, .badToken, .missingLibrary,
        .undecodable, .askedToWait, .overLimit, .rewritten, .unproven, .untrusted:
        false
      }
    try require(isExplained, "it ends without a reason: \(error)")
  }
}
