import ListChanges
import ListModel

extension ReplicaMachine {
  /// A verified copy that will be saved once the server has shown that it continues the history of
  /// the present copy. The headers are requested from the newest to the oldest, and not kept.
  struct HistoryProof: Equatable, Sendable {
    let verified: VerifiedAnswer
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
  mutating func accept(
    _ verified: VerifiedAnswer, _ timing: ResponseTiming
  ) throws -> [Effect] {
    let (after, base) = (verified.after, base)
    let isNext = after.cursor.version == base.cursor.version.next
    let isContinued = verified.reason == .changes || verified.reason == .wholeList(.smaller)
    guard options.proves || isNext && isContinued, base.cursor != .zero,
      after.cursor != base.cursor
    else { return try take(verified, timing) }
    if verified.reason == .wholeList(.tooOld) {
      return fail(.unproven(from: base.cursor, to: after.cursor))
    }
    guard verified.reason != .wholeList(.diverged), after.cursor.version > base.cursor.version,
      let header = after.state.header
    else { return failRewritten(after) }
    proof = HistoryProof(
      verified: verified, version: Version(header.version.number - 1), chain: header.previous)
    return try continueProof(timing)
  }

  /// Takes in the headers of an answer, newest first.
  mutating func handle(
    _ headers: [VersionHeader], _ timing: ResponseTiming
  ) throws -> [Effect] {
    guard var proof else { return misdelivered(timing) }
    failureCount = 0
    // They have been pruned since.
    let (base, after) = (base, proof.verified.after)
    if headers.isEmpty { return fail(.unproven(from: base.cursor, to: after.cursor)) }
    for header in headers where proof.version > base.cursor.version {
      guard header.version == proof.version, header.chain == proof.chain else {
        return failRewritten(after)
      }
      (proof.version, proof.chain) = (Version(header.version.number - 1), header.previous)
    }
    self.proof = proof
    return try continueProof(timing)
  }

  /// Asks for further headers, or takes the copy if they have led back to the present one.
  private mutating func continueProof(_ timing: ResponseTiming) throws -> [Effect] {
    guard let proof, proof.version == base.cursor.version else { return proceed() }
    self.proof = nil
    guard base.cursor.names(Cursor(version: proof.version, chain: proof.chain)) else {
      return failRewritten(proof.verified.after)
    }
    return try take(proof.verified, timing)
  }

  mutating func failRewritten(_ after: ListCopy) -> [Effect] {
    fail(.rewritten(from: base.cursor, to: after.cursor))
  }
}
