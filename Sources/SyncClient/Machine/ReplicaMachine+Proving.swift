import ListChanges
import ListModel

extension ReplicaMachine {
  /// A verified copy that is saved as soon as the server has shown that its version continues the
  /// history of the present copy. The headers are asked for from the newest back, and none is kept.
  struct Proving: Equatable, Sendable {
    let after: ListCopy
    let changes: ChangeSet<Item>
    let reason: ReplicaStep.Reason
    let more: Bool
    /// The version whose header is to be shown next.
    var version: Version
    /// The chain of that version, as the header after it has it.
    var chain: Chain
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
    guard options.proves || isNext && isContinued, copy.cursor != .zero,
      after.cursor != copy.cursor
    else { return save(after, changes, reason, more: more, moment) }
    if reason == .wholeList(.tooOld) {
      return fail(.unproven(from: copy.cursor, to: after.cursor))
    }
    guard reason != .wholeList(.diverged), after.cursor.version > copy.cursor.version,
      let header = after.state.header
    else { return failRewritten(after) }
    proving = Proving(
      after: after, changes: changes, reason: reason, more: more,
      version: Version(header.version.number - 1), chain: header.previous)
    return goOnProving(moment)
  }

  /// Takes in the headers of an answer, newest first.
  mutating func handle(_ headers: [VersionHeader], _ moment: Moment) -> [Effect] {
    guard var proving else { return misdelivered(moment) }
    failureCount = 0
    // They were pruned since.
    if headers.isEmpty { return fail(.unproven(from: copy.cursor, to: proving.after.cursor)) }
    for header in headers where proving.version > copy.cursor.version {
      guard header.version == proving.version, header.chain == proving.chain else {
        return failRewritten(proving.after)
      }
      (proving.version, proving.chain) = (Version(header.version.number - 1), header.previous)
    }
    self.proving = proving
    return goOnProving(moment)
  }

  /// Asks for further headers, or saves the copy if they have led back to the present one.
  private mutating func goOnProving(_ moment: Moment) -> [Effect] {
    guard let proving, proving.version == copy.cursor.version else { return goOn() }
    self.proving = nil
    guard copy.cursor.names(Cursor(version: proving.version, chain: proving.chain)) else {
      return failRewritten(proving.after)
    }
    return save(proving.after, proving.changes, proving.reason, more: proving.more, moment)
  }

  private mutating func failRewritten(_ after: ListCopy) -> [Effect] {
    fail(.rewritten(from: copy.cursor, to: after.cursor))
  }
}
