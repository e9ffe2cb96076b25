import ListDocuments
import ListModel
import SyncClient

/// Shows the updates of a pull, and writes the list to its output.
struct PullReport {
  let list: ListName
  /// The output for the whole list; nil for none.
  let output: ListOutput?
  /// The layout of documents for programs; nil for people.
  let layout: DeltaDocument.Layout?
  let palette: Palette

  func show(_ update: ReplicaUpdate<Item>) throws {
    if let text = Self.text(update.reason) { Output.diagnostic("listsync: \(text)") }
    let delta = Delta(
      list: list, from: update.from, to: update.to, oldest: nil, changes: update.changes)
    if !isListTheAnswer {
      if let layout {
        try Output.write(DeltaDocument(delta).encoded(layout))
      } else {
        let text = DiffText(ShownChanges(delta.changes), palette)
        for line in text.lines(titled: Wording.states(of: delta)) { try Output.line(line) }
      }
    }
    try write(update.after)
  }

  func showNothingNew(_ copy: ListCopy) throws {
    if let layout {
      let changes = copy.snapshot.changes(to: copy.snapshot)
      let delta = Delta(list: list, from: copy.state, to: copy.state, oldest: nil, changes: changes)
      try Output.write(DeltaDocument(delta).encoded(layout))
    } else if !isListTheAnswer {
      let items = Wording.count(copy.state.count, "item")
      try Output.line("\(list) \(Wording.state(copy.state)): up to date; \(items)")
    }
    try write(copy.snapshot.items)
  }

  private var isListTheAnswer: Bool { output?.isStandardOutput == true }

  /// Writes the whole list, if it has an output.
  func write(_ items: [Item]) throws {
    try output?.write(SnapshotDocument.encode(Snapshot(uniqueItems: items)))
  }

  /// A reason to start over, in words for people; nil for other reasons.
  private static func text(_ reason: ReplicaStep.Reason) -> String? {
    switch reason {
    case .changes, .wholeList(.first), .wholeList(.smaller): nil
    case .wholeList(.tooOld):
      "started over: the changes since the version of the copy were pruned, or are not there"
    case .wholeList(.diverged):
      """
      started over: the version of the copy is not in the server's history, as after a restored \
      backup
      """
    case .mismatch(let mismatch):
      "started over: an answer was wrong: \(Output.shortened("\(mismatch)"))"
    }
  }

  /// Reports on standard error why a pull waits.
  static func writeWaits(_ states: AsyncStream<ReplicaMachine.State>) async {
    for await state in states {
      guard case .waiting(let wait) = state, let cause = wait.cause else { continue }
      let seconds = Int(wait.seconds.rounded(.up))
      Output.diagnostic("listsync: \(Output.shortened("\(cause)")); trying again in \(seconds) s")
    }
  }
}
