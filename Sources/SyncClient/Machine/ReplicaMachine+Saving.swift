import ListChanges
import ListModel

extension ReplicaMachine {
  mutating func save(
    _ after: ListCopy, _ changes: ChangeSet<Item>, _ reason: ReplicaStep.Reason, more: Bool
  ) -> [Effect] {
    failureCount = 0
    let step = ReplicaStep(before: copy, after: after, changes: changes, reason: reason)
    let saving = Saving(number: newNumber(), step: step, more: more, next: .goOn)
    state = .saving(saving)
    return [.save(saving.number, step)]
  }

  mutating func finishSaving(_ number: Int) -> [Effect] {
    guard case .saving(let saving) = state, saving.number == number else { return [] }
    copy = saving.step.after
    startOver = nil
    // Whole lists that hold do not show that the server's changes do.
    if saving.step.reason == .changes { hasStartedOver = false }
    isAtHead = !saving.more
    let show = [Effect.show(saving.step)]
    switch saving.next {
    case .goOn: return show + goOn()
    case .pause: state = .paused
    case .stop: state = .stopped
    }
    return show
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
