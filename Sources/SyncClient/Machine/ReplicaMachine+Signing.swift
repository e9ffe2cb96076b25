import ListChanges
import ListDocuments
import ListModel

extension ReplicaMachine {
  /// A verified copy that an answer has brought.
  struct Arrival: Equatable, Sendable {
    let after: ListCopy
    /// The changes from ``ReplicaMachine/base``.
    let changes: ChangeSet<Item>
    let reason: ReplicaStep.Reason
    /// Whether the server announced more.
    let more: Bool
    /// The signed note of `after`.
    let note: String?
  }

  /// The copy that the next answer must start from: the saved one, or the held one.
  public var base: ListCopy { held?.after ?? copy }

  /// Saves a copy whose history continues that of the present one. With a key, the replica holds a
  /// copy back until a later one is signed.
  mutating func take(_ arrival: Arrival, _ moment: Moment) -> [Effect] {
    let whole = joined(arrival)
    guard let key = options.key else { return save(whole, moment) }
    // The server itself says so, and does not answer a restart of the replica.
    if startOver == nil, held == nil, arrival.reason == .wholeList(.diverged) { hasDiverged = true }
    guard let note = arrival.note else {
      guard arrival.more else { return fail(.untrusted(.unsigned)) }
      (held, startOver, isAtHead, failureCount) = (whole, nil, false, 0)
      return goOn()
    }
    do throws(HeadRefusal) {
      let trust = try trust(in: note, at: whole.after.state, key)
      if hasDiverged, copy.trust != nil, whole.after.cursor != copy.cursor {
        return fail(.rewritten(from: copy.cursor, to: whole.after.cursor))
      }
      (held, hasDiverged) = (nil, false)
      return save(whole.trusted(trust), moment)
    } catch {
      return fail(.untrusted(error))
    }
  }

  /// Handles the note of a document without news. The note may sign the held copy, or the empty
  /// list of version 0, and may name a new key.
  ///
  /// - Returns: nil if there is nothing to save.
  mutating func confirm(_ note: String?, _ moment: Moment) -> [Effect]? {
    guard let key = options.key else { return nil }
    do throws(HeadRefusal) {
      guard let note else { throw .unsigned }
      let trust = try trust(in: note, at: base.state, key)
      if held == nil, trust.present == copy.trust?.present { return nil }
      let nothing = Arrival(
        after: base, changes: base.snapshot.changes(to: base.snapshot), reason: .changes,
        more: false, note: note)
      let whole = joined(nothing)
      held = nil
      return save(whole.trusted(trust), moment)
    } catch {
      return fail(.untrusted(error))
    }
  }

  /// The held answers and a new one, as one.
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
  /// The same copy with a signed head.
  fileprivate func trusted(_ trust: HeadTrust) -> Self {
    var after = after
    after.trust = trust
    return Self(after: after, changes: changes, reason: reason, more: more, note: note)
  }
}

extension ReplicaMachine {
  /// Whether the copy may be shown: it was loaded, and the key has signed it if there is one.
  var isShowable: Bool { state != .idle && options.trusts(copy) }
}

extension ReplicaMachine.Options {
  /// Whether a saved copy may be shown.
  public func trusts(_ copy: ListCopy) -> Bool {
    guard let key else { return true }
    return copy == .empty || copy.trust?.isOf(key) == true
  }
}
