import ListChanges
import ListDocuments
import ListModel

extension ReplicaMachine {
  /// A verified copy that an answer has brought.
  struct Arrival: Equatable, Sendable {
    let after: ListCopy
    /// From ``ReplicaMachine/base``.
    let changes: ChangeSet<Item>
    let reason: ReplicaStep.Reason
    /// Whether more was announced.
    let more: Bool
    /// The signed note of `after`.
    let note: String?
  }

  /// The copy from which the next answer leads on: the saved one, or what is held.
  public var base: ListCopy { held?.after ?? copy }

  /// Saves a copy whose history is that of the present one. If there is a key, it holds the copy
  /// back until one comes which the key has signed.
  mutating func take(_ arrival: Arrival, _ moment: Moment) -> [Effect] {
    let whole = joined(arrival)
    guard let key = options.key else { return save(whole, moment) }
    guard let note = arrival.note else {
      guard arrival.more else { return fail(.untrusted(.unsigned)) }
      (held, startOver, isAtHead, failureCount) = (whole, nil, false, 0)
      return goOn()
    }
    do throws(HeadRefusal) {
      let trust = try trust(in: note, at: whole.after.state, key)
      if whole.reason == .wholeList(.diverged), copy.trust != nil {
        return fail(.rewritten(from: copy.cursor, to: whole.after.cursor))
      }
      held = nil
      return save(whole.trusted(trust), moment)
    } catch {
      return fail(.untrusted(error))
    }
  }

  /// What is held, and what came then, as one.
  private func joined(_ arrival: Arrival) -> Arrival {
    guard let held else { return arrival }
    let items = copy.snapshot.items
    guard let changes = ChangeSet.composing([held.changes, arrival.changes]) else {
      preconditionFailure("there is a step")
    }
    return Arrival(
      after: arrival.after, changes: changes.namingMoves { items[$0].id },
      reason: held.reason == .changes ? arrival.reason : held.reason, more: arrival.more,
      note: arrival.note)
  }

  private func trust(
    in note: String, at state: ListState, _ key: VerifierKey
  ) throws(HeadRefusal) -> HeadTrust {
    guard var trust = copy.trust else {
      return try HeadTrust(key, note, of: options.list, at: state)
    }
    try trust.accept(note, at: state)
    return trust
  }
}

extension ReplicaMachine.Arrival {
  /// The same with a signed head.
  fileprivate func trusted(_ trust: HeadTrust) -> Self {
    var after = after
    after.trust = trust
    return Self(after: after, changes: changes, reason: reason, more: more, note: note)
  }
}
