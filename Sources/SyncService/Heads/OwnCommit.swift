import ListModel
import ListStore

/// A commit of this process.
struct OwnCommit {
  let list: ListName
  private let outcome: CommitOutcome
  private let idRule: String?
  private let titlePath: JSONPointer?
  private let limits: [LimitedChange: ChangeLimit]

  init(_ request: CommitRequest, _ outcome: CommitOutcome) {
    (list, self.outcome) = (request.list, outcome)
    (idRule, titlePath, limits) = (request.idRule, request.titlePath, request.limits)
  }

  /// The head after the commit; nil if it does not follow the shown one, as when another process
  /// has committed meanwhile.
  func head(after shown: ListSummary) -> ListSummary? {
    let (state, time): (ListState, Timestamp?)
    switch outcome {
    case .committed(let record), .merged(let record?, _, _):
      let isShown = shown.head == record.state
      guard isShown || record.header.follows(shown.head.knownCursor) else { return nil }
      (state, time) = (record.state, record.note.time)
    case .found(let record, _): return shown.head == record.state ? shown : nil
    case .unchanged(let head), .merged(nil, let head, _):
      guard shown.head == head else { return nil }
      (state, time) = (head, shown.committedAt)
    }
    return ListSummary(
      name: shown.name, head: state, committedAt: time, oldest: shown.oldest,
      idRule: idRule ?? shown.idRule, titlePath: titlePath ?? shown.titlePath,
      limits: shown.limits.setting(limits))
  }
}
