import ListModel
import StoreTestSupport

extension CallHistory {
  /// The faults of reads.
  func readFaults() -> [String] {
    calls.flatMap { call in
      switch call.outcome {
      case .read(let head, let root):
        return headFaults(head, call) + rootFaults(root, at: head, call)
      case .refused(_, let head): return headFaults(head, call)
      case .caughtUp(let answer): return catchUpFaults(answer, call)
      case .tooOld(let since, let oldest):
        let isOld = since.version < oldest
        return floorFaults(oldest, call)
          + (isOld ? [] : ["\(call.name): \(since) is too old, but \(oldest) is the oldest"])
      default: return []
      }
    } + backwardFaults()
  }

  /// A head is no older than versions acknowledged before the call, and no newer than versions
  /// requested before its end.
  private func headFaults(_ head: Cursor, _ call: RecordedCall) -> [String] {
    let known = pace.acknowledged.before(call.invokedAt)
    if head.version < known { return ["\(call.name) read \(head) after \(known) was there"] }
    return cursorFaults(head, call)
  }

  private func cursorFaults(_ cursor: Cursor, _ call: RecordedCall) -> [String] {
    if cursor.version > pace.invoked.before(call.respondedAt) {
      return ["\(call.name) read \(cursor) before anyone wrote it"]
    }
    return self.cursor(of: cursor.version) == cursor
      ? [] : ["\(call.name) read \(cursor), which nobody wrote"]
  }

  private func rootFaults(
    _ root: Root, at cursor: Cursor, _ call: RecordedCall
  ) -> [String] {
    let number = cursor.version.number
    return number < roots.count && roots[number] != root
      ? ["\(call.name) read at \(cursor) what is not there"] : []
  }

  private func catchUpFaults(_ answer: RecordedCall.CatchUp, _ call: RecordedCall) -> [String] {
    var faults =
      cursorFaults(answer.from, call) + rootFaults(answer.root, at: answer.to, call)
      + floorFaults(answer.oldest, call)
      + (answer.more ? cursorFaults(answer.to, call) : headFaults(answer.to, call))
    guard faults.isEmpty else { return faults }
    let (from, to) = (answer.from.version, answer.to.version)
    if from < answer.oldest {
      faults.append("\(call.name) was told the way from \(from), which was pruned")
    }
    if answer.more, to <= from { faults.append("\(call.name) got a page that leads nowhere") }
    let changes = snapshots[from.number].changes(to: snapshots[to.number])
    if ChangeDigest.of(changes) != answer.digest {
      faults.append("\(call.name) got other changes from \(from) to \(to) than there are")
    }
    return faults
  }

  /// The oldest version that an answer names was the oldest at some moment of the call.
  private func floorFaults(_ oldest: Version, _ call: RecordedCall) -> [String] {
    let known = max(Version(1), pace.floors.before(call.invokedAt))
    let latest = max(Version(1), pace.invokedFloors.before(call.respondedAt))
    return (known...latest).contains(oldest)
      ? [] : ["\(call.name) saw \(oldest) as the oldest, not \(known) to \(latest)"]
  }

  /// A caller never sees an older state than it has seen or written before.
  private func backwardFaults() -> [String] {
    var latest: [String: Version] = [:]
    return calls.sorted { ($0.caller, $0.number) < ($1.caller, $1.number) }.compactMap { call in
      guard let head = call.outcome.head?.version else { return nil }
      let before = latest[call.caller, default: .zero]
      latest[call.caller] = max(before, head)
      return head < before ? "\(call.name) saw \(head) after \(before)" : nil
    }
  }
}

extension RecordedCall.Outcome {
  /// The head that the caller knows after the call.
  fileprivate var head: Cursor? {
    switch self {
    case .committed(let commit): commit.state
    case .refused(_, let head), .read(let head, _): head
    case .caughtUp(let answer): answer.more ? nil : answer.to
    default: nil
    }
  }
}
