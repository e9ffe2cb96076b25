import ListChanges
import ListModel
import ListStore

/// The query of a client that has a list as it once was.
public struct CatchUpRequest: Sendable {
  public let list: ListName
  /// The version that the client has.
  public let since: Revision
  /// The version that the client wants.
  public var to: Revision = .head
  /// How many changes an answer may cover, 1 or more; nil for no limit. The answer ends at the last
  /// version that fits, or at the first version if none does.
  public var changeLimit: Int?
  /// Whether the answer may be the whole list, if `since` was pruned, diverged, or is version 0.
  public var fallsBack = false
  /// Whether the answer may be the whole list, if it has fewer bytes than the delta.
  public var takesSmaller = false

  public init(list: ListName, since: Revision) {
    self.list = list
    self.since = since
  }
}

extension SyncService {
  /// The changes from one version of a list to another, in either direction.
  ///
  /// - Throws: `ServiceError` of looking up; `.diverged` when a cursor is not of this list's
  ///   history; `.tooOld` when a version was pruned.
  /// - Complexity: for composed steps, O(c log c) for the c changes between the versions, whatever
  ///   the length of the list.
  public func delta(
    of list: ListName, since from: Revision, to: Revision = .head
  ) async throws -> Delta {
    var request = CatchUpRequest(list: list, since: from)
    request.to = to
    return try await catchUp(request).onlyChanges
  }

  /// The changes between some pairs of versions, as ``delta(of:since:to:)`` makes them. They are
  /// read in one transaction, since neighbours are in the same blocks of the log.
  ///
  /// - Parameters:
  ///   - list: the list.
  ///   - pairs: the versions.
  ///   - limit: no more changes are made after the new contents have so many bytes.
  /// - Returns: the changes of the first pairs, at least of one if there is one.
  /// - Throws: as ``delta(of:since:to:)``.
  package func deltas(
    of list: ListName, between pairs: [(from: Version, to: Version)], byteLimit limit: Int
  ) async throws -> [Delta] {
    let all = try await store.read { reader in
      var (all, byteCount): ([MadeCatchUp], Int) = ([], 0)
      for pair in pairs where byteCount <= limit {
        var request = CatchUpRequest(list: list, since: .version(pair.from))
        request.to = .version(pair.to)
        let (plan, list) = try reader.plan(for: request)
        let made = try reader.make(plan, of: list)
        let changes = made.answer.onlyChanges.changes
        let contents = changes.inserted.map(\.element) + changes.updated.map(\.new)
        byteCount += contents.reduce(0) { $0 + $1.content.bytes.count }
        all.append(made)
      }
      return all
    }
    for made in all { await keep(made) }
    return all.map(\.answer.onlyChanges)
  }

  /// The changes that a client lacks, or the whole list.
  ///
  /// Changes that were costly to make are kept, and served again.
  ///
  /// - Throws: as ``delta(of:since:to:)``. A request that falls back gets neither `.diverged` nor
  ///   `.tooOld` for `since`.
  public func catchUp(_ request: CatchUpRequest) async throws -> CatchUpAnswer<Delta> {
    guard let made = try await catchUp(request, upTo: .max).made else {
      preconditionFailure("no answer is longer than the highest number")
    }
    await keep(made)
    return made.answer
  }

  /// The plan of the answer to a request, which other requests may share; and the answer itself, if
  /// it is short.
  ///
  /// Nothing is kept yet: see ``keep(_:)``.
  ///
  /// - Parameters:
  ///   - request: what the caller has, and wants.
  ///   - count: the highest number of changes or items that a short answer is made of.
  /// - Throws: as ``catchUp(_:)``.
  public func catchUp(
    _ request: CatchUpRequest, upTo count: Int
  ) async throws -> (plan: CatchUpPlan, made: MadeCatchUp?) {
    do {
      return try await store.read { reader in
        let (plan, list) = try reader.plan(for: request)
        return try reader.reply(to: plan, of: list, upTo: count)
      }
    } catch let reason as WholeListReason {
      // Not before: a standby's answer that is an error is asked from the primary.
      return try await store.read { reader in
        let (plan, list) = try reader.plan(for: request, without: reason)
        return try reader.reply(to: plan, of: list, upTo: count)
      }
    }
  }

  /// Makes the answer of a plan.
  ///
  /// - Throws: `ServiceError.tooOld` or `.diverged` if the list was pruned or begun again since the
  ///   plan was made; `.noSuchList` or `.gone` if there is none any more.
  public func catchUp(by plan: CatchUpPlan) async throws -> MadeCatchUp {
    try await store.read { reader in
      let list = try reader.existingList(plan.list)
      for state in [plan.from, plan.to] {
        if let cursor = state?.cursor { _ = try reader.state(of: .cursor(cursor), in: list) }
      }
      return try reader.make(plan, of: list)
    }
  }

}

/// All that an answer to a request for changes depends on. Requests with one plan have one answer.
public struct CatchUpPlan: Hashable, Sendable {
  /// The form of the answer.
  public enum Form: Hashable, Sendable {
    /// The changes up to ``CatchUpPlan/to``.
    case changes
    /// The changes up to ``CatchUpPlan/to``; or the list at `wanted`, if it has fewer bytes.
    case smaller(wanted: ListState)
    /// The whole list at ``CatchUpPlan/to``.
    case whole(WholeListReason)
  }

  public let list: ListName
  public let form: Form
  /// The state that the caller has; nil where the store does not know it.
  public let from: ListState?
  public let to: ListState
  /// Whether the request wants versions after ``to``.
  public let hasMore: Bool
  public let oldest: Version
}

/// An answer, and its changes if they shall be kept.
public struct MadeCatchUp: Sendable {
  public let answer: CatchUpAnswer<Delta>
  let use: KeptChangesUse?

  /// Whether ``SyncService/keep(_:)`` may have something to keep.
  public var isWorthKeeping: Bool { use != nil }
}

extension ListReader {
  /// - Throws: `WholeListReason` when only the whole list can answer the request.
  fileprivate func plan(for request: CatchUpRequest) throws -> (CatchUpPlan, ListRecord) {
    let last = request.to.version ?? .highest
    let versions = request.since.version.map {
      ListQuery.versions(min($0, last)...max($0, last))
    }
    let list = try existingList(request.list, for: [versions].compactMap(\.self))
    let wanted = try state(of: request.to, in: list)
    let from: ListState
    do {
      from = try state(of: request.since, in: list)
    } catch ServiceError.diverged where request.fallsBack {
      throw WholeListReason.diverged
    } catch ServiceError.tooOld where request.fallsBack {
      throw WholeListReason.tooOld
    }
    if request.fallsBack, from.version == .zero, wanted.version > .zero {
      let plan = CatchUpPlan(
        list: list.name, form: .whole(.first), from: from, to: wanted, hasMore: false,
        oldest: list.oldest)
      return (plan, list)
    }
    let to = try pageEnd(of: list, from: from, to: wanted, limit: request.changeLimit)
    let plan = CatchUpPlan(
      list: list.name, form: request.takesSmaller ? .smaller(wanted: wanted) : .changes,
      from: from, to: to, hasMore: to != wanted, oldest: list.oldest)
    return (plan, list)
  }

  fileprivate func plan(
    for request: CatchUpRequest, without reason: WholeListReason
  ) throws -> (CatchUpPlan, ListRecord) {
    let list = try existingList(request.list)
    let plan = CatchUpPlan(
      list: list.name, form: .whole(reason), from: nil, to: try state(of: request.to, in: list),
      hasMore: false, oldest: list.oldest)
    return (plan, list)
  }

  fileprivate func reply(
    to plan: CatchUpPlan, of list: ListRecord, upTo count: Int
  ) throws -> (plan: CatchUpPlan, made: MadeCatchUp?) {
    if count < .max, try size(of: plan, of: list) > count { return (plan, nil) }
    return (plan, try make(plan, of: list))
  }

  /// The number of changes or items that an answer is made of.
  private func size(of plan: CatchUpPlan, of list: ListRecord) throws -> Int {
    guard let from = plan.from else { return plan.to.count }
    if case .whole = plan.form { return plan.to.count }
    let (low, high) = (min(from.version, plan.to.version), max(from.version, plan.to.version))
    if low == high { return 0 }
    // Without the steps between them, both lists are compared.
    guard low.next >= list.firstStep else { return max(from.count, plan.to.count) }
    return try changeCount(low.next...high, of: list.key)
  }

  fileprivate func make(_ plan: CatchUpPlan, of list: ListRecord) throws -> MadeCatchUp {
    if case .whole(let reason) = plan.form {
      let whole = try whole(list, from: plan.from, to: plan.to, reason)
      return MadeCatchUp(answer: .snapshot(whole), use: nil)
    }
    guard let from = plan.from else { preconditionFailure("changes start from a known state") }
    var (delta, use) = try keptOrMadeDelta(of: list, from: from, to: plan.to)
    delta.more = plan.hasMore
    // A delta of fewer changes than half the items is nearly always the smaller one: don't read the
    // list for it.
    if case .smaller(let wanted) = plan.form, delta.changes.count * 2 >= wanted.count {
      let smaller = try whole(list, from: from, to: wanted, .smaller)
      if smaller.snapshot.writtenByteCount < delta.writtenByteCount {
        return MadeCatchUp(answer: .snapshot(smaller), use: use)
      }
    }
    return MadeCatchUp(answer: .changes(delta), use: use)
  }

  private func whole(
    _ list: ListRecord, from: ListState?, to: ListState, _ reason: WholeListReason
  ) throws -> SnapshotDelta {
    SnapshotDelta(
      list: list.name, from: from, to: to, oldest: list.oldest,
      snapshot: try checkedSnapshot(at: to, of: list), reason: reason)
  }

  private func keptOrMadeDelta(
    of list: ListRecord, from: ListState, to: ListState
  ) throws -> (delta: Delta, use: KeptChangesUse?) {
    var use = KeptChangesUse(list: list.name, from: from, to: to)
    let (low, high) = (min(from.version, to.version), max(from.version, to.version))
    // A single step is read as quickly as kept changes.
    guard low < high, low.next < high, low.next >= list.firstStep,
      try changeCount(low.next...high, of: list.key) >= KeptChangesRule.leastChangeCount
    else { return (try delta(of: list, from: from, to: to), nil) }
    if let kept = try? keptChanges(from: from.version, to: to.version, of: list.key),
      kept.changes.oldCount == from.count, kept.changes.newCount == to.count
    {
      use.lastUsedAt = kept.usedAt
      let delta = Delta(
        list: list.name, from: from, to: to, oldest: list.oldest, changes: kept.changes)
      return (delta, use)
    }
    let delta = try delta(of: list, from: from, to: to)
    use.changes = delta.changes
    return (delta, use)
  }

  /// The end of a page: the last version within the limit of changes, at least one version on.
  private func pageEnd(
    of list: ListRecord, from: ListState, to: ListState, limit: Int?
  ) throws -> ListState {
    let (start, end) = (from.version.number, to.version.number)
    guard let limit, abs(end - start) > 1 else { return to }
    // Versions before the oldest have no steps: version 0 and the oldest are neighbours.
    if list.oldest > Version(1) {
      if start == 0 { return try state(of: list.oldest, in: list) }
      if end == 0 {
        let oldest = try state(of: list.oldest, in: list)
        return from == oldest ? to : try pageEnd(of: list, from: from, to: oldest, limit: limit)
      }
    }
    let direction = start < end ? 1 : -1
    let tooFar = try (2..<abs(end - start) + 1).partitioningIndex { distance in
      let version = start + direction * distance
      let range = Version(min(start, version) + 1)...Version(max(start, version))
      return try changeCount(range, of: list.key) > limit
    }
    return try state(of: Version(start + direction * (tooFar - 1)), in: list)
  }
}

extension CatchUpAnswer<Delta> {
  /// The answer to a request that takes no whole list.
  fileprivate var onlyChanges: Delta {
    guard case .changes(let delta) = self else {
      preconditionFailure("a request without fallback is answered by changes")
    }
    return delta
  }
}
