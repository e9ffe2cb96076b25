import ListChanges
import ListDocuments
import ListModel

extension ReplicaMachine {
  /// The time that a replica waits after an answer without news that came sooner: such a server
  /// does not wait.
  static let leastPollSeconds = 1.0

  /// The highest number of consecutive pages without a change. A server has few pages whose changes
  /// cancel each other out.
  static let highestEmptyPageCount = 100

  mutating func handle(_ answer: ReplicaAnswer, to number: Int, _ moment: Moment) -> [Effect] {
    guard case .asking(let request) = state, request.number == number else { return [] }
    do throws(Mismatch) {
      switch answer {
      case .changes(let document): return try handle(document, request, moment)
      case .snapshot(let document): return try handle(document, request, moment)
      case .notModified(let cursor):
        guard request.purpose != .startOver, proving == nil,
          cursor == nil || cursor == request.since
        else { return misdelivered(moment) }
        return handleNothingNew(request, moment)
      case .noDelta(let reason):
        let (status, kind): (Int, ProblemKind) =
          reason == .tooOld ? (410, .tooOld) : (409, .diverged)
        return beginAgain(
          .wholeList(reason),
          orFail: .refused(status: status, type: kind.type, detail: "also for the whole list"))
      case .headers(let headers): return handle(headers, moment)
      case .damaged(let mismatch): throw mismatch
      case .unavailable(let cause, let seconds):
        return tryLater(cause, retryAfterSeconds: seconds, moment)
      case .refused(let error): return fail(error)
      }
    } catch {
      return beginAgain(.mismatch(error), orFail: .mismatchAgain(error))
    }
  }

  private mutating func handle(
    _ document: DeltaDocument, _ request: ReplicaRequest, _ moment: Moment
  ) throws(Mismatch) -> [Effect] {
    let base = request.purpose == .startOver ? ListCopy.empty : base
    guard document.list == options.list else { throw .otherList(document.list) }
    guard document.from.cursor == base.cursor else { return misdelivered(moment) }
    if document.isNothing(at: base.state) {
      return takeNothing(note: document.note, request, moment)
    }
    let (after, changes) = try base.applying(document)
    guard after.cursor.version > base.cursor.version else { throw .noProgress(to: after.cursor) }
    try count(document, changes)
    if request.purpose == .startOver {
      return accept(
        whole(after, startOver ?? .wholeList(.first), more: document.more, document.note), moment)
    }
    let arrival = Arrival(
      after: after, changes: changes, reason: base == .empty ? .wholeList(.first) : .changes,
      more: document.more, note: document.note)
    return accept(arrival, moment)
  }

  /// Handles a whole list: compares it with the copy.
  private func whole(
    _ after: ListCopy, _ reason: ReplicaStep.Reason, more: Bool, _ note: String?
  ) -> Arrival {
    Arrival(
      after: after, changes: base.snapshot.changes(to: after.snapshot), reason: reason, more: more,
      note: note)
  }

  /// Counts consecutive pages without a change, since a server could send them forever.
  private mutating func count(
    _ document: DeltaDocument, _ changes: ChangeSet<Item>
  ) throws(Mismatch) {
    emptyPageCount = document.more && changes.isEmpty ? emptyPageCount + 1 : 0
    guard emptyPageCount > Self.highestEmptyPageCount else { return }
    emptyPageCount = 0
    throw .emptyPages(count: Self.highestEmptyPageCount + 1)
  }

  private mutating func handle(
    _ delta: SnapshotDelta, _ request: ReplicaRequest, _ moment: Moment
  ) throws(Mismatch) -> [Effect] {
    guard delta.list == options.list else { throw .otherList(delta.list) }
    guard answers(delta, request) else { return misdelivered(moment) }
    let after = try ListCopy(delta)
    if after.state == base.state, request.purpose != .startOver {
      return takeNothing(note: delta.note, request, moment)
    }
    // The replica's own reason if it asked for the whole list, else the server's.
    return accept(
      whole(after, startOver ?? .wholeList(delta.reason), more: delta.more, delta.note), moment)
  }

  /// Whether a whole list answers a request: the document names the state of the request, or the
  /// server does not know that state.
  private func answers(_ delta: SnapshotDelta, _ request: ReplicaRequest) -> Bool {
    switch delta.reason {
    case .first, .smaller: delta.from?.cursor == request.since
    case .tooOld, .diverged: delta.from == nil || delta.from?.cursor == request.since
    }
  }

  /// Handles a document without news.
  private mutating func takeNothing(
    note: String?, _ request: ReplicaRequest, _ moment: Moment
  ) -> [Effect] {
    // The whole list may be empty.
    if request.purpose == .startOver, copy != .empty {
      return accept(whole(.empty, startOver ?? .wholeList(.first), more: false, note), moment)
    }
    return confirm(note, moment) ?? handleNothingNew(request, moment)
  }

  /// Handles an answer without news, which may have no document.
  private mutating func handleNothingNew(_ request: ReplicaRequest, _ moment: Moment) -> [Effect] {
    failureCount = 0
    isAtHead = true
    // No note has reached the held copy, or the empty list of a replica without a copy.
    if options.key != nil, base.trust == nil { return fail(.untrusted(.unsigned)) }
    (startOver, startOverCount) = (nil, 0)
    guard case .watch = request.purpose, moment.elapsedSeconds < Self.leastPollSeconds else {
      return goOn()
    }
    return wait(Self.leastPollSeconds * (1 + moment.random), cause: nil)
  }

  /// Starts over once. Fails if the replica has started over since it last applied changes.
  private mutating func beginAgain(
    _ reason: ReplicaStep.Reason, orFail error: ReplicaError
  ) -> [Effect] {
    guard startOver == nil, !hasStartedOver else { return fail(error) }
    // A held copy that diverges says nothing about the saved one.
    if reason == .wholeList(.diverged), held == nil { hasDiverged = true }
    failureCount = 0
    isAtHead = false
    startOver = reason
    hasStartedOver = true
    (proving, held) = (nil, nil)
    return goOn()
  }

  mutating func misdelivered(_ moment: Moment) -> [Effect] {
    tryLater(.misdelivered, retryAfterSeconds: nil, moment)
  }

  private mutating func tryLater(
    _ cause: Unavailability, retryAfterSeconds: Double?, _ moment: Moment
  ) -> [Effect] {
    failureCount += 1
    // A person waits if tries are limited, so report at once a wait that is too long.
    if options.retry.tryLimit != nil, let seconds = retryAfterSeconds,
      seconds > options.retry.highestRetryAfterSeconds
    {
      return fail(.askedToWait(seconds: seconds, cause))
    }
    if let limit = options.retry.tryLimit, failureCount >= limit {
      return fail(.gaveUp(tryCount: failureCount, cause))
    }
    return wait(
      options.retry.seconds(
        after: failureCount, retryAfterSeconds: retryAfterSeconds, random: moment.random),
      cause: cause)
  }

  mutating func wait(_ seconds: Double, cause: Unavailability?) -> [Effect] {
    let wait = Wait(number: newNumber(), seconds: seconds, cause: cause)
    state = .waiting(wait)
    return [.setTimer(wait.number, seconds: seconds)]
  }
}

extension DeltaDocument {
  /// Whether the document says that nothing follows a state.
  fileprivate func isNothing(at state: ListState) -> Bool {
    from == state && to == state && !more
      && changes
        == BareChanges(
          oldCount: state.count, newCount: state.count, removed: [], moved: [], inserted: [],
          updated: [])
  }
}
