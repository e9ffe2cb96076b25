import ListChanges
import ListModel

extension ReplicaMachine {
  /// A verified copy that is saved as soon as the server has shown that its version continues the
  /// history of the present copy.
  struct Proving: Equatable, Sendable {
    let after: ListCopy
    let changes: ChangeSet<Item>
    let reason: ReplicaStep.Reason
    let more: Bool
    /// The headers so far, of the versions up to that of the copy, newest first.
    var headers: [VersionHeader] = []

    /// The version before which the next headers are.
    var before: Version { headers.last?.version ?? after.cursor.version.next }
  }

  /// Saves a verified copy if its history is that of the present one, as far as that is to be
  /// proved.
  ///
  /// The header of the next version proves it by itself. For a later one, the headers between are
  /// asked for if the option says so.
  mutating func accept(
    _ after: ListCopy, _ changes: ChangeSet<Item>, _ reason: ReplicaStep.Reason, more: Bool,
    _ moment: Moment
  ) -> [Effect] {
    let isNext = after.cursor.version == copy.cursor.version.next
    let isContinued = reason == .changes || reason == .wholeList(.smaller)
    if copy.cursor == .zero || (!options.proves && !(isNext && isContinued)) {
      return save(after, changes, reason, more: more, moment)
    }
    if isNext, let header = after.state.header {
      return header.follows(copy.cursor)
        ? save(after, changes, reason, more: more, moment) : failRewritten(after)
    }
    guard options.proves else { return save(after, changes, reason, more: more, moment) }
    switch reason {
    case .wholeList(.tooOld): return fail(.unproven(from: copy.cursor, to: after.cursor))
    case .wholeList(.diverged): return failRewritten(after)
    case .changes, .wholeList(.first), .wholeList(.smaller), .mismatch: break
    }
    if after.cursor == copy.cursor { return save(after, changes, reason, more: more, moment) }
    guard after.cursor.version > copy.cursor.version else { return failRewritten(after) }
    proving = Proving(after: after, changes: changes, reason: reason, more: more)
    return goOn()
  }

  /// Takes in the headers of an answer, newest first.
  mutating func handle(_ headers: [VersionHeader], _ moment: Moment) -> [Effect] {
    guard var proving else { return misdelivered(moment) }
    failureCount = 0
    let own = headers.filter { $0.version > copy.cursor.version && $0.version < proving.before }
    // They were pruned since.
    if own.isEmpty { return fail(.unproven(from: copy.cursor, to: proving.after.cursor)) }
    proving.headers += own
    self.proving = proving
    guard proving.before == copy.cursor.version.next else { return goOn() }
    self.proving = nil
    let ascending = Array(proving.headers.reversed())
    guard ascending.follow(copy.cursor), ascending.last?.cursor == proving.after.cursor else {
      return failRewritten(proving.after)
    }
    return save(proving.after, proving.changes, proving.reason, more: proving.more, moment)
  }

  private mutating func failRewritten(_ after: ListCopy) -> [Effect] {
    fail(.rewritten(from: copy.cursor, to: after.cursor))
  }
}
