import ListChanges
import ListDocuments
import ListModel

extension ReplicaMachine {
  /// A verified copy that an answer has brought.
  struct VerifiedAnswer: Equatable, Sendable {
    let after: ListCopy
    /// The changes from ``ReplicaMachine/base``.
    let changes: ChangeSet<Item>
    let reason: ReplicaStep.Reason
    /// Whether the server announced more.
    let more: Bool
    /// The signed note of `after`.
    let note: String?
  }

  /// The copy that the next answer must start from: the unsigned one, or else the saved one.
  public var base: ListCopy { unsigned?.after ?? copy }

  /// Saves a copy whose history continues that of the present one. With a key, an
  /// unsigned copy is not saved before a later one is signed.
  mutating func take(_ verified: VerifiedAnswer, _ timing: ResponseTiming) throws -> [Effect] {
    let whole = try joined(verified)
    guard let key = options.key else { return save(whole, timing) }
    // The server itself says so, and does not answer a restart of the replica.
    if startOver == nil, unsigned == nil, verified.reason == .wholeList(.diverged) {
      hasDiverged = true
    }
    guard let note = verified.note else {
      guard verified.more else { return fail(.untrusted(.unsigned)) }
      (unsigned, startOver, isAtHead, failureCount) = (whole, nil, false, 0)
      return proceed()
    }
    do throws(HeadRefusal) {
      let trust = try trust(in: note, at: whole.after.state, key)
      if hasDiverged, copy.trust != nil, whole.after.cursor != copy.cursor {
        return fail(.rewritten(from: copy.cursor, to: whole.after.cursor))
      }
      (unsigned, hasDiverged) = (nil, false)
      return save(whole.trusted(trust), timing)
    } catch {
      return fail(.untrusted(error))
    }
  }

  /// Handles the note of a document without news. The note may sign an unsigned copy, or the empty
  /// list of version 0, and may name a new key.
  ///
  /// - Returns: nil if there is nothing to save.
  mutating func confirm(_ note: String?, _ timing: ResponseTiming) throws -> [Effect]? {
    guard let key = options.key else { return nil }
    do {
      guard let note else { throw HeadRefusal.unsigned }
      let trust = try trust(in: note, at: base.state, key)
      if unsigned == nil, trust.present == copy.trust?.present { return nil }
      let nothing = VerifiedAnswer(
        after: base, changes: .none(count: base.state.count), reason: .changes, more: false,
        note: note)
      let whole = try joined(nothing)
      unsigned = nil
      return save(whole.trusted(trust), timing)
    } catch let error as HeadRefusal {
      return fail(.untrusted(error))
    }
  }

  /// The unsigned answers and a new one, as one.
  private func joined(_ verified: VerifiedAnswer) throws -> VerifiedAnswer {
    guard let unsigned else { return verified }
    guard let changes = ChangeSet.composing([unsigned.changes, verified.changes]) else {
      preconditionFailure("there is a step")
    }
    return VerifiedAnswer(
      after: verified.after, changes: try changes.named(in: copy.list),
      reason: unsigned.reason == .changes ? verified.reason : unsigned.reason, more: verified.more,
      note: verified.note)
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

extension ReplicaMachine.VerifiedAnswer {
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

  /// Whether edits may be sent.
  var sendsEdits: Bool {
    switch state {
    case .asking, .waiting, .saving, .current: isShowable
    case .idle, .paused, .stopped, .failed: false
    }
  }
}

extension ReplicaMachine.Options {
  /// Whether a saved copy may be shown.
  public func trusts(_ copy: ListCopy) -> Bool {
    guard let key else { return true }
    return copy == .empty || copy.trust?.isOf(key) == true
  }
}
