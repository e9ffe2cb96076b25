import ListChanges
import ListModel

extension ReplicaMachine {
  /// A verified copy that will be saved once the server has shown that it continues the history of
  /// the present copy. The headers are requested from the newest to the oldest, and not kept.
  struct Proving: Equatable, Sendable {
    let arrival: Arrival
    /// The version whose header comes next.
    var version: Version
    /// The chain of that version, according to the header after it.
    var chain: Chain
  }

  /// Takes a verified copy if its history continues that of the present one, as far as this must be
  /// proved.
  ///
  /// The header of the next version proves this by itself. For a later version, the headers between
  /// are requested if the option `proves` is set.
  mutating func accept(_ arrival: Arrival, _ moment: Moment) -> [Effect] {
    let (after, base) = (arrival.after, base)
    let isNext = after.cursor.version == base.cursor.version.next
    let isContinued = arrival.reason == .changes || arrival.reason == .wholeList(.smaller)
    guard options.proves || isNext && isContinued, base.cursor != .zero,
      after.cursor != base.cursor
    else { return take(arrival, moment) }
    if arrival.reason == .wholeList(.tooOld) {
      return fail(.unproven(from: base.cursor, to: after.cursor))
    }
    guard arrival.reason != .wholeList(.diverged), after.cursor.version > base.cursor.version,
      let header = after.state.header
    else { return failRewritten(after) }
    proving = Proving(
      arrival: arrival, version: Version(header.version.number - 1), chain: header.previous)
    return goOnProving(moment)
  }

  /// Takes in the headers of an answer, newest first.
  mutating func handle(_ headers: [VersionHeader], _ moment: Moment) -> [Effect] {
    guard var proving else { return misdelivered(moment) }
    failureCount = 0
    // They have been pruned since.
    let (base, after) = (base, proving.arrival.after)
    if headers.isEmpty { return fail(.unproven(from: base.cursor, to: after.cursor)) }
    for header in headers where proving.version > base.cursor.version {
      guard header.version == proving.version, header.chain == proving.chain else {
        return failRewritten(after)
      }
      (proving.version, proving.chain) = (Version(header.version.number - 1), header.previous)
    }
    self.proving = proving
    return goOnProving(moment)
  }

  /// Asks for further headers, or takes the copy if they have led back to the present one.
  private mutating func goOnProving(_ moment: Moment) -> [Effect] {
    guard let proving, proving.version == base.cursor.version else { return goOn() }
    self.proving = nil
    guard base.cursor.names(Cursor(version: proving.version, chain: proving.chain)) else {
      return failRewritten(proving.arrival.after)
    }
    return take(proving.arrival, moment)
  }

  mutating func failRewritten(_ after: ListCopy) -> [Effect] {
    fail(.rewritten(from: base.cursor, to: after.cursor))
  }
}
