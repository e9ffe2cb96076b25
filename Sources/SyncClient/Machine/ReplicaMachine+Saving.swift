import ListChanges
import ListModel

extension ReplicaMachine {
  mutating func save(_ verified: VerifiedAnswer, _ timing: ResponseTiming) -> [Effect] {
    failureCount = 0
    let (reason, changes) = (verified.reason, verified.changes)
    if reason.isStartedOver { startOverCount += 1 }
    let step = ReplicaStep(before: copy, after: verified.after, changes: changes, reason: reason)
    let saving = Saving(
      number: newNumber(), step: step, more: verified.more,
      waitSeconds: reason.isStartedOver
        ? secondsAfterStartingOver(timing) : secondsAfterNoChange(changes, verified.more, timing),
      next: .proceed)
    state = .saving(saving)
    return [.save(saving.number, step)]
  }

  /// The wait after a restart: none after the first, then longer each time until the server has
  /// nothing new.
  private func secondsAfterStartingOver(_ timing: ResponseTiming) -> Double? {
    guard startOverCount > 1 else { return nil }
    return options.retry.seconds(
      after: startOverCount - 1, retryAfterSeconds: nil, random: timing.random)
  }

  /// The wait after a version without a change. A server may answer a watch at once with such
  /// versions, so don't ask again at once.
  private func secondsAfterNoChange(
    _ changes: ChangeSet<Item>, _ more: Bool, _ timing: ResponseTiming
  ) -> Double? {
    guard options.watches, changes.isEmpty, !more, timing.elapsedSeconds < Self.leastPollSeconds
    else { return nil }
    return Self.leastPollSeconds * (1 + timing.random)
  }

  mutating func finishSaving(_ number: Int) -> [Effect] {
    guard case .saving(let saving) = state, saving.number == number else { return [] }
    copy = saving.step.after
    startOver = nil
    // A valid whole list does not prove that the server's changes are valid.
    if saving.step.reason == .changes, !saving.step.changes.isEmpty { hasStartedOver = false }
    isAtHead = !saving.more
    let show = [Effect.show(saving.step)]
    switch saving.next {
    case .proceed: return show + (saving.waitSeconds.map { wait($0, cause: nil) } ?? proceed())
    case .pause: state = .paused
    case .stop: state = .stopped
    }
    return show
  }

  /// Replaces the copy by the one that the storage has now: the same over other rows, or that of
  /// another process. An unsigned answer over the former rows is asked for again.
  ///
  /// - Returns: the effects, if a step that is being saved does not follow the copy.
  mutating func replaceCopy(by copy: ListCopy) -> [Effect] {
    self.copy = copy
    (unsigned, hasStaleRows) = (nil, false)
    guard case .saving(let saving) = state, saving.step.before.state != copy.state else {
      return []
    }
    switch saving.next {
    case .proceed: return proceed()
    case .pause: state = .paused
    case .stop: state = .stopped
    }
    return []
  }

  /// Ends the replica when the rows of its copy cannot be read again.
  mutating func abandonCopy(_ error: ReplicaError) -> [Effect] {
    hasStaleRows = false
    switch state {
    case .asking, .waiting, .current: return cancelPending() + fail(error)
    case .idle, .saving, .paused, .stopped, .failed: return []
    }
  }

  mutating func abandonSaving(_ number: Int, _ error: ReplicaError) -> [Effect] {
    guard case .saving(let saving) = state, saving.number == number else { return [] }
    if saving.next == .stop {
      state = .stopped
      return []
    }
    return fail(error)
  }
}
