import ListDocuments
import ListModel

extension ReplicaMachine {
  mutating func start(_ saved: ListCopy) -> [Effect] {
    guard case .idle = state else { return [] }
    copy = saved
    begin()
    guard pausesAtStart else { return proceed() }
    state = .paused
    return []
  }

  /// Begins again with the saved copy, and forgets everything since. A copy that the key has not
  /// signed is not trusted.
  private mutating func begin() {
    (startOver, hasStartedOver, isAtHead, proof, unsigned) = (nil, false, false, nil, nil)
    (failureCount, startOverCount, hasDiverged) = (0, 0, false)
    if !options.trusts(copy) {
      copy.trust = nil
      startOver = .wholeList(.first)
    }
  }

  mutating func pause() -> [Effect] {
    switch state {
    case .asking, .waiting, .current:
      let effects = cancelPending()
      (proof, unsigned) = (nil, nil)
      state = .paused
      return effects
    case .saving(var saving):
      if saving.next == .proceed { saving.next = .pause }
      state = .saving(saving)
      return []
    case .idle:
      pausesAtStart = true
      return []
    case .paused, .stopped, .failed: return []
    }
  }

  mutating func resume() -> [Effect] {
    switch state {
    case .paused, .current, .failed:
      // Earlier failures no longer count.
      begin()
      return proceed()
    case .waiting: return cancelPending() + proceed()
    case .saving(var saving):
      if saving.next == .pause { saving.next = .proceed }
      state = .saving(saving)
      return []
    case .idle:
      pausesAtStart = false
      return []
    case .asking, .stopped: return []
    }
  }

  mutating func stop() -> [Effect] {
    switch state {
    case .saving(var saving):
      saving.next = .stop
      state = .saving(saving)
      return []
    case .idle, .asking, .waiting, .current, .paused, .failed:
      let effects = cancelPending()
      state = .stopped
      return effects
    case .stopped: return []
    }
  }

  mutating func endWait(_ number: Int) -> [Effect] {
    guard case .waiting(let wait) = state, wait.number == number else { return [] }
    return proceed()
  }

  /// Sends the next request, if one is needed.
  mutating func proceed() -> [Effect] {
    let purpose: ReplicaRequest.Purpose
    if let proof {
      purpose = .prove(upTo: Cursor(version: proof.version, chain: proof.chain))
    } else if startOver != nil {
      purpose = .startOver
    } else if !isAtHead {
      purpose = .catchUp
    } else if options.watches {
      purpose = .watch(waitSeconds: options.waitSeconds)
    } else {
      state = .current
      return []
    }
    let request = ReplicaRequest(
      number: newNumber(), list: options.list, purpose: purpose,
      since: purpose == .startOver ? .zero : base.cursor, changeLimit: options.changeLimit)
    state = .asking(request)
    return [.send(request)]
  }

  /// Cancels the pending request or timer.
  func cancelPending() -> [Effect] {
    switch state {
    case .asking(let request): [.cancel(request.number)]
    case .waiting(let wait): [.cancelTimer(wait.number)]
    case .idle, .saving, .current, .paused, .stopped, .failed: []
    }
  }

  mutating func fail(_ error: ReplicaError) -> [Effect] {
    (proof, unsigned) = (nil, nil)
    state = .failed(error)
    return []
  }
}
