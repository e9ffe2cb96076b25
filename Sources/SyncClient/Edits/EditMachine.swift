import ListModel

/// The state machine that sends a replica's edits, without network, file, clock or randomness.
///
/// It works beside ``ReplicaMachine``, which brings the news:
///
///     edit ─▶ saved ─▶ seal ─▶ saved ─▶ send ─▶ made ─▶ the copy has that version ─▶ none
///                                       │
///                                       └─▶ conflicts, or no base ─▶ unseal ─▶ merge again
///
/// Edits are sealed in the file before they are sent, and the same request is repeated until the
/// server answers. The server recognises it (`base`, P55), so no kill sends an edit twice.
///
/// Another replica may work with the same file, and send the same edits. So an answer counts only
/// for the edits that were sent, also when the file has others by now.
struct EditMachine: Sendable {
  enum Event: Equatable, Sendable {
    /// A write of queue or copy is in the file.
    case saved(EditQueue, over: Cursor, Write)
    /// A write of this machine failed.
    case saveFailed(ReplicaError)
    case answered(Int, EditAnswer, random: Double)
    case timerFired(Int)
    /// Whether edits may be sent: the replica was started, and is not paused, stopped or failed.
    case enable(Bool)
    /// Try again now, also after a refusal.
    case retry
  }

  enum Write: Equatable, Sendable {
    /// The copy took a step. `hasDiverged` is true if the server has another history.
    case step(hasDiverged: Bool)
    /// The user edited, resolved or discarded, or the saved edits were loaded.
    case user
    /// Another replica has written the copy, perhaps with another history.
    case others
    case own
  }

  enum Effect: Equatable, Sendable {
    case write(Change)
    case send(ReplicaRequest)
    case cancel(Int)
    case setTimer(Int, seconds: Double)
    case cancelTimer(Int)
    /// Ask for news, if the replica does not watch.
    case catchUp
  }

  /// A change of the queue, made when all earlier writes are done.
  enum Change: Equatable, Sendable {
    /// Before each request.
    case seal
    /// The server has nothing of the edits, according to the answer to a request. Changes nothing
    /// if a later request was sent: its answer counts.
    case unseal(SentRequest, keepsBase: Bool)
    /// The copy has the edits.
    case finish(SentEdits)
  }

  private enum Phase: Equatable {
    case resting
    case writing(AfterWriting)
    case sending(Int, SentRequest)
    /// The cause is nil if the next news may help.
    case waiting(Int, Unavailability?)
    /// The server has the first edits, at this version. They are still in the queue.
    case made(Cursor, SentEdits)
    case refused(EditRefusal)
  }

  private enum AfterWriting: Equatable {
    case proceed
    case send
    /// Wait for news that show what the server has refused.
    case await(random: Double)
    case refuse(EditRefusal, SentEdits)
  }

  private let list: ListName
  private let retry: RetryRule
  private var phase = Phase.resting
  private(set) var queue = EditQueue.empty
  private var copy = Cursor.zero
  private var isEnabled = false
  private var failureCount = 0
  private var lastNumber = 0

  init(list: ListName, retry: RetryRule) { (self.list, self.retry) = (list, retry) }

  /// The queue after a step of the copy: without the first edits, if the copy has them then.
  func queue(after step: ReplicaStep) throws -> EditQueue {
    let edits = try queue.following(step)
    guard case .made(let cursor, _) = phase, !step.reason.hasDiverged,
      step.after.cursor.version >= cursor.version
    else { return edits }
    return try edits.finished(over: step.after)
  }

  /// Whether edits are being sent, or written for this, or the copy does not have them yet.
  var isBusy: Bool {
    switch phase {
    case .writing, .sending, .waiting, .made: !queue.isEmpty
    case .resting, .refused: false
    }
  }

  var state: EditState {
    if queue.isEmpty { return .none }
    switch phase {
    case .sending: return .sending
    case .made: return .sent
    case .refused(let refusal): return .refused(refusal)
    case .waiting(_, let cause): return .pending(cause)
    case .resting, .writing:
      let conflicts = queue.isSent ? [] : queue.conflicts
      return conflicts.isEmpty ? .pending(nil) : .refused(.conflicts(conflicts))
    }
  }

  mutating func handle(_ event: Event) -> [Effect] {
    switch event {
    case .saved(let queue, let copy, let write):
      let hasOtherEdits = !queue.hasSameEdits(as: self.queue)
      (self.queue, self.copy) = (queue, copy)
      return follow(write, hasOtherEdits)
    case .saveFailed(let error):
      phase = .refused(.error(error))
      return []
    case .answered(let number, let answer, let random):
      guard case .sending(number, let request) = phase else { return [] }
      return take(answer, to: request, random)
    case .timerFired(let number):
      guard case .waiting(number, _) = phase else { return [] }
      phase = .resting
      return proceed()
    case .enable(let isEnabled):
      guard self.isEnabled != isEnabled else { return [] }
      self.isEnabled = isEnabled
      return isEnabled ? rest() + proceed() : rest()
    case .retry:
      // A request that is on its way goes on.
      if case .sending = phase { return [] }
      return rest() + proceed()
    }
  }

  /// Ends a request, a wait or a refusal. A request that was sent is repeated later.
  private mutating func rest() -> [Effect] {
    defer { failureCount = 0 }
    switch phase {
    case .sending(let number, _):
      phase = .resting
      return [.cancel(number)]
    case .waiting(let number, _):
      phase = .resting
      return [.cancelTimer(number)]
    case .refused: phase = .resting
    case .resting, .writing, .made: break
    }
    return []
  }

  private mutating func follow(_ write: Write, _ hasOtherEdits: Bool) -> [Effect] {
    switch (phase, write) {
    case (.writing(let next), .own): return proceed(next)
    case (.writing, _): return []
    case (.made(let cursor, let edits), _): return followMade(cursor, edits, write)
    case (.sending(_, let request), _)
    where queue.first?.sent != request.edits || write == .step(hasDiverged: true):
      return rest() + proceed()
    // Another replica has only begun a request, too.
    case (.waiting, .user) where !hasOtherEdits: return []
    // News show that the network is back, and may be those that were waited for.
    case (.waiting, _): return rest() + proceed()
    case (.refused, .user) where hasOtherEdits, (.refused, .others) where hasOtherEdits:
      return rest() + proceed()
    case (.sending, _), (.refused, _): return []
    case (.resting, _): return proceed()
    }
  }

  private mutating func followMade(
    _ cursor: Cursor, _ edits: SentEdits, _ write: Write
  ) -> [Effect] {
    let mayDiverge = write == .others && copy != cursor
    if queue.first?.sent != edits || write == .step(hasDiverged: true) || mayDiverge {
      phase = .resting
      return proceed()
    }
    return copy.version >= cursor.version ? self.write(.finish(edits)) : []
  }

  private mutating func proceed(_ next: AfterWriting) -> [Effect] {
    phase = .resting
    switch next {
    case .await(let random) where queue.isSent || queue.conflicts.isEmpty && !queue.isEmpty:
      return wait(nil, retryAfterSeconds: nil, random)
    case .send where isEnabled:
      guard let edits = queue.first, queue.isSent else { return proceed() }
      lastNumber -= 1
      phase = .sending(lastNumber, SentRequest(edits: edits.sent, tryCount: queue.tryCount))
      return [.send(ReplicaRequest(number: lastNumber, list: list, edits: edits))]
    case .refuse(let refusal, let edits) where queue.first?.sent == edits:
      phase = .refused(refusal)
      return []
    case .proceed, .send, .await, .refuse: return proceed()
    }
  }

  private mutating func proceed() -> [Effect] {
    guard isEnabled, phase == .resting, !queue.isEmpty else { return [] }
    return queue.isSent || queue.conflicts.isEmpty ? write(.seal, then: .send) : []
  }

  private mutating func write(_ change: Change, then next: AfterWriting = .proceed) -> [Effect] {
    phase = .writing(next)
    return [.write(change)]
  }

  private mutating func take(
    _ answer: EditAnswer, to request: SentRequest, _ random: Double
  ) -> [Effect] {
    switch answer {
    case .made(let cursor):
      failureCount = 0
      if copy.version >= cursor.version { return write(.finish(request.edits)) }
      phase = .made(cursor, request.edits)
      return [.catchUp]
    case .tooOld where queue.tryCount > 1:
      // An earlier try may have reached the server, which can no longer tell.
      phase = .refused(.unknownOutcome)
      return [.catchUp]
    case .conflicts, .tooOld, .diverged:
      let change = Change.unseal(request, keepsBase: answer == .conflicts)
      return write(change, then: .await(random: random)) + [.catchUp]
    case .refused(let refusal, isMade: false):
      return write(.unseal(request, keepsBase: true), then: .refuse(refusal, request.edits))
    case .refused(let refusal, _):
      phase = .refused(refusal)
      return []
    case .unavailable(let cause, let seconds):
      return wait(cause, retryAfterSeconds: seconds, random)
    }
  }

  private mutating func wait(
    _ cause: Unavailability?, retryAfterSeconds: Double?, _ random: Double
  ) -> [Effect] {
    failureCount += 1
    lastNumber -= 1
    phase = .waiting(lastNumber, cause)
    let seconds = retry.seconds(
      after: failureCount, retryAfterSeconds: retryAfterSeconds, random: random)
    return [.setTimer(lastNumber, seconds: seconds)]
  }
}
