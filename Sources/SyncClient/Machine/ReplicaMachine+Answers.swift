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

  mutating func handle(_ answer: ReplicaAnswer, to number: Int, _ timing: ResponseTiming)
    -> [Effect]
  {
    guard case .asking(let request) = state, request.number == number else { return [] }
    do {
      switch answer {
      case .changes(let document): return try handle(document, request, timing)
      case .snapshot(let document): return try handle(document, request, timing)
      case .notModified(let cursor):
        guard request.purpose != .startOver, proof == nil,
          cursor == nil || cursor == request.since
        else { return misdelivered(timing) }
        return handleNothingNew(request, timing)
      case .noDelta(let reason):
        let (status, kind): (Int, ProblemKind) =
          reason == .tooOld ? (410, .tooOld) : (409, .diverged)
        return beginAgain(
          .wholeList(reason),
          orFail: .refused(status: status, type: kind.type, detail: "also for the whole list"))
      case .headers(let headers): return try handle(headers, timing)
      case .damaged(let mismatch): throw mismatch
      case .unavailable(let cause, let seconds):
        return tryLater(cause, retryAfterSeconds: seconds, timing)
      case .refused(let error): return fail(error)
      }
    } catch let error as Mismatch {
      return beginAgain(.mismatch(error), orFail: .mismatchAgain(error))
    } catch let error as ReplicaError {
      return fail(error)
    } catch {
      // The rows are not those of the copy: the app, or another process, has changed them.
      hasStaleRows = true
      return misdelivered(timing)
    }
  }

  private mutating func handle(
    _ document: DeltaDocument, _ request: ReplicaRequest, _ timing: ResponseTiming
  ) throws -> [Effect] {
    let base = request.purpose == .startOver ? ListCopy.empty : base
    guard document.list == options.list else { throw Mismatch.otherList(document.list) }
    guard document.from.cursor == base.cursor else { return misdelivered(timing) }
    if document.isNothing(at: base.state) {
      return try takeNothing(note: document.note, request, timing)
    }
    let (after, changes) = try base.applying(document)
    guard after.cursor.version > base.cursor.version else {
      throw Mismatch.noProgress(to: after.cursor)
    }
    try count(document, changes)
    if request.purpose == .startOver {
      return try accept(
        whole(after, startOver ?? .wholeList(.first), more: document.more, document.note), timing)
    }
    let verified = VerifiedAnswer(
      after: after, changes: changes, reason: base == .empty ? .wholeList(.first) : .changes,
      more: document.more, note: document.note)
    return try accept(verified, timing)
  }

  /// Handles a whole list: compares it with the copy.
  private func whole(
    _ after: ListCopy, _ reason: ReplicaStep.Reason, more: Bool, _ note: String?
  ) throws -> VerifiedAnswer {
    let former = Snapshot(uniqueItems: try base.list.items())
    return VerifiedAnswer(
      after: after, changes: former.changes(to: after.snapshot), reason: reason, more: more,
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
    _ delta: SnapshotDelta, _ request: ReplicaRequest, _ timing: ResponseTiming
  ) throws -> [Effect] {
    guard delta.list == options.list else { throw Mismatch.otherList(delta.list) }
    guard answers(delta, request) else { return misdelivered(timing) }
    let after = try ListCopy(delta)
    if after.state == base.state, request.purpose != .startOver {
      return try takeNothing(note: delta.note, request, timing)
    }
    // The replica's own reason if it asked for the whole list, else the server's.
    return try accept(
      whole(after, startOver ?? .wholeList(delta.reason), more: delta.more, delta.note), timing)
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
    note: String?, _ request: ReplicaRequest, _ timing: ResponseTiming
  ) throws -> [Effect] {
    // The whole list may be empty.
    if request.purpose == .startOver, copy != .empty {
      return try accept(whole(.empty, startOver ?? .wholeList(.first), more: false, note), timing)
    }
    return try confirm(note, timing) ?? handleNothingNew(request, timing)
  }

  /// Handles an answer without news, which may have no document.
  private mutating func handleNothingNew(_ request: ReplicaRequest, _ timing: ResponseTiming)
    -> [Effect]
  {
    failureCount = 0
    isAtHead = true
    // No note has reached an unsigned copy, or the empty list of a replica without a copy.
    if options.key != nil, base.trust == nil { return fail(.untrusted(.unsigned)) }
    (startOver, startOverCount) = (nil, 0)
    guard case .watch = request.purpose, timing.elapsedSeconds < Self.leastPollSeconds else {
      return proceed()
    }
    return wait(Self.leastPollSeconds * (1 + timing.random), cause: nil)
  }

  /// Starts over once. Fails if the replica has started over since it last applied changes.
  private mutating func beginAgain(
    _ reason: ReplicaStep.Reason, orFail error: ReplicaError
  ) -> [Effect] {
    guard startOver == nil, !hasStartedOver else { return fail(error) }
    // An unsigned copy that diverges says nothing about the saved one.
    if reason == .wholeList(.diverged), unsigned == nil { hasDiverged = true }
    failureCount = 0
    isAtHead = false
    startOver = reason
    hasStartedOver = true
    (proof, unsigned) = (nil, nil)
    return proceed()
  }

  mutating func misdelivered(_ timing: ResponseTiming) -> [Effect] {
    tryLater(.misdelivered, retryAfterSeconds: nil, timing)
  }

  private mutating func tryLater(
    _ cause: Unavailability, retryAfterSeconds: Double?, _ timing: ResponseTiming
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
        after: failureCount, retryAfterSeconds: retryAfterSeconds, random: timing.random),
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
