import ListModel
import ListStore

/// Decides which versions are pruned, without pruning them.
public enum Retention {
  public struct DatedVersion: Hashable, Sendable {
    public let version: Version
    public let time: Timestamp
  }

  /// Decides for every version whether it is kept, and why.
  ///
  /// The oldest versions are pruned first, so all versions newer than a kept one are also kept.
  ///
  /// - Parameters:
  ///   - versions: the versions of a list, ascending, without gaps, to its head.
  ///   - rule: what to keep.
  ///   - tags: the list's tags; each keeps its version.
  ///   - now: the end of the period `rule.keepWithin`.
  /// - Throws: only for a rule with a period: `ServiceError.datedInFuture` when a version is dated
  ///   after `now`, since the clock or the date is then wrong; `.mayHaveLeapt` when a version would
  ///   be pruned because of a pause longer than the period, unless the rule trusts the dates.
  /// - Complexity: O(v + t log t) for v versions and t tags.
  public static func plan(
    versions: [DatedVersion], rule: RetentionRule, tags: [TagRecord], now: Timestamp
  ) throws(ServiceError) -> RetentionPlan {
    if rule.keepWithin != nil, let future = versions.first(where: { $0.time > now }) {
      throw .datedInFuture(future.version, time: future.time, now: now)
    }
    let tags = Dictionary(grouping: tags, by: \.version).mapValues { $0.map(\.name).sorted() }
    let head = versions.last?.version
    var floor: Version?
    let verdicts = versions.indices.map { index in
      let dated = versions[index]
      var reasons: [RetentionPlan.Reason] = dated.version == head ? [.head] : []
      if let count = rule.keepLast, versions.count - index <= count {
        reasons.append(.amongLast(count))
      }
      if let period = rule.keepWithin, isNewest(index, of: versions, within: period, before: now) {
        reasons.append(.within(period))
      }
      reasons += (tags[dated.version] ?? []).map { .tagged($0) }
      if floor == nil, !reasons.isEmpty { floor = dated.version }
      if reasons.isEmpty { reasons = floor.map { [.newer(than: $0)] } ?? refusals(by: rule) }
      return RetentionPlan.Verdict(version: dated.version, isKept: floor != nil, reasons: reasons)
    }
    let plan = RetentionPlan(verdicts: verdicts)
    if let period = rule.keepWithin, !rule.trustsDates, plan.removed != nil {
      try refuseLeap(over: period, versions, now: now)
    }
    return plan
  }

  /// Refuses a period that begins in a pause longer than the period. A clock that leaps ahead makes
  /// such a pause, and makes all versions before it old.
  ///
  ///       versions   │ │││ │││                              │ │    now
  ///       pause               └──────────────────────────┘
  ///       period                                 └────────────────┘
  private static func refuseLeap(
    over period: RetentionPeriod, _ versions: [DatedVersion], now: Timestamp
  ) throws(ServiceError) {
    let start = now.millisecondsSince1970 - period.milliseconds
    let first = versions.firstIndex { $0.time.millisecondsSince1970 >= start } ?? versions.endIndex
    guard first > versions.startIndex else { return }
    let last = versions[first - 1]
    let next = first < versions.endIndex ? versions[first].time : now
    let pause = next.millisecondsSince1970 - last.time.millisecondsSince1970
    guard pause > period.milliseconds else { return }
    throw .mayHaveLeapt(after: last.version, from: last.time, to: next, period: period)
  }

  /// Whether a version was the newest one at some moment of a period: it or the next one was
  /// committed in the period.
  private static func isNewest(
    _ index: Int, of versions: [DatedVersion], within period: RetentionPeriod, before now: Timestamp
  ) -> Bool {
    let start = now.millisecondsSince1970 - period.milliseconds
    if versions[index].time.millisecondsSince1970 >= start { return true }
    guard index + 1 < versions.count else { return true }
    return versions[index + 1].time.millisecondsSince1970 > start
  }

  /// The reasons why a rule does not keep a version.
  private static func refusals(by rule: RetentionRule) -> [RetentionPlan.Reason] {
    [rule.keepLast.map { .notAmongLast($0) }, rule.keepWithin.map { .notWithin($0) }]
      .compactMap { $0 }
  }
}

/// The versions that are kept and those that are pruned.
public struct RetentionPlan: Equatable, Sendable {
  public enum Reason: Hashable, Sendable {
    // Why a version is kept.

    case head
    case amongLast(Int)
    case within(RetentionPeriod)
    case tagged(TagName)
    /// It is newer than a kept version.
    case newer(than: Version)

    // Why a version is pruned.

    case notAmongLast(Int)
    case notWithin(RetentionPeriod)
  }

  public struct Verdict: Equatable, Sendable {
    public let version: Version
    public let isKept: Bool
    /// Never empty.
    public let reasons: [Reason]
  }

  /// Consecutive versions with the same verdict.
  public struct Stretch: Equatable, Sendable {
    public let versions: ClosedRange<Version>
    public let isKept: Bool
    public let reasons: [Reason]
  }

  /// One for each version, ascending: first the pruned ones, then the kept ones.
  public let verdicts: [Verdict]

  /// The oldest kept version; nil for a list without versions.
  public var floor: Version? { verdicts.first(where: \.isKept)?.version }

  /// The pruned versions; nil if there are none.
  public var removed: ClosedRange<Version>? {
    guard let first = verdicts.first, let floor, first.version < floor else { return nil }
    return first.version...Version(floor.number - 1)
  }

  /// The tags that are the only reason for the floor: without them, more would be pruned.
  public var holdingTags: [TagName] {
    guard let reasons = verdicts.first(where: \.isKept)?.reasons else { return [] }
    let tags = reasons.compactMap { reason in
      if case .tagged(let name) = reason { name } else { nil }
    }
    return tags.count == reasons.count ? tags : []
  }

  /// The verdicts, adjacent equal ones merged.
  public var stretches: [Stretch] {
    var stretches: [Stretch] = []
    for verdict in verdicts {
      let last = stretches.last
      let isJoined = last?.isKept == verdict.isKept && last?.reasons == verdict.reasons
      let start = isJoined ? stretches.removeLast().versions.lowerBound : verdict.version
      stretches.append(
        Stretch(
          versions: start...verdict.version, isKept: verdict.isKept, reasons: verdict.reasons))
    }
    return stretches
  }
}
