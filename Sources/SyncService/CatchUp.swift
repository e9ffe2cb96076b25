import ListChanges
import ListModel
import ListStore

/// What a client asks that has a list as it once was.
public struct CatchUpRequest: Sendable {
  public let list: ListName
  /// What the client has.
  public let since: Revision
  /// What it wants.
  public var to: Revision = .head(back: 0)
  /// How many changes of the log an answer may cover, 1 or more; it then ends at the last version
  /// that fits, and at the first where none does. Nil for all.
  public var changeLimit: Int?
  /// Whether the whole list is an answer where no delta is: `since` was pruned, diverged, or is the
  /// empty list.
  public var fallsBack = false
  /// Whether the whole list is an answer where it has fewer bytes than the delta.
  public var takesSmaller = false

  public init(list: ListName, since: Revision) {
    self.list = list
    self.since = since
  }
}

extension SyncService {
  /// What changed from one version of a list to another, in either direction.
  ///
  /// - Throws: `ServiceError` of those grouped under looking up; `.diverged` when a cursor names a
  ///   version that this list does not have, or has with another chain; `.tooOld` when a version
  ///   was pruned.
  /// - Complexity: where the steps are composed, O(c log c) for the c changes between the
  ///   versions, whatever the length of the list.
  public func delta(
    of list: ListName, since from: Revision, to: Revision = .head
  ) async throws -> Delta {
    var request = CatchUpRequest(list: list, since: from)
    request.to = to
    guard case .changes(let delta) = try await catchUp(request) else {
      preconditionFailure("nothing else was asked for")
    }
    return delta
  }

  /// What a client lacks.
  ///
  /// Changes that were costly to make are kept and served again.
  ///
  /// - Throws: as ``delta(of:since:to:)``; where the request falls back, neither `.diverged` nor
  ///   `.tooOld` for what the client has.
  public func catchUp(_ request: CatchUpRequest) async throws -> CatchUpAnswer<Delta> {
    let made = try await store.read { try $0.answer(request) }
    if let use = made.use {
      let (time, limit) = (now(), KeptChangesRule.byteLimit)
      if KeptChangesRule.isWorthNoting(last: use.lastUsedAt, at: time) {
        await store.writeIfFree { writer in
          try writer.keepChanges(
            use.changes, from: use.from, to: use.to, of: use.list, usedAt: time, byteLimit: limit)
        }
      }
    }
    return made.answer
  }
}

extension ListReader {
  fileprivate func answer(
    _ request: CatchUpRequest
  ) throws -> (answer: CatchUpAnswer<Delta>, use: KeptChangesUse?) {
    let list = try existingList(request.list)
    let wanted = try state(of: request.to, in: list)
    let from: ListState
    do {
      from = try state(of: request.since, in: list)
    } catch ServiceError.diverged where request.fallsBack {
      return try (snapshotAnswer(of: list, from: nil, at: wanted, .diverged), nil)
    } catch ServiceError.tooOld where request.fallsBack {
      return try (snapshotAnswer(of: list, from: nil, at: wanted, .tooOld), nil)
    }
    if request.fallsBack, from.version == .zero, wanted.version > .zero {
      return try (snapshotAnswer(of: list, from: from, at: wanted, .first), nil)
    }
    let to = try pageEnd(of: list, from: from, to: wanted, limit: request.changeLimit)
    var made = try keptOrMadeDelta(of: list, from: from, to: to)
    made.delta.more = to != wanted
    if request.takesSmaller,
      let smaller = try smallerSnapshot(of: list, at: wanted, than: made.delta)
    {
      return (.snapshot(smaller), made.use)
    }
    return (.changes(made.delta), made.use)
  }

  private func keptOrMadeDelta(
    of list: ListRecord, from: ListState, to: ListState
  ) throws -> (delta: Delta, use: KeptChangesUse?) {
    var use = KeptChangesUse(list: list.key, from: from.version, to: to.version)
    let (low, high) = (min(from.version, to.version), max(from.version, to.version))
    // A single step is as quickly read as what is kept.
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
    let delta: Delta = try delta(of: list, from: from, to: to)
    use.changes = delta.changes
    return (delta, use)
  }

  /// The state at which a page ends: the last version up to which there are no more changes than
  /// the limit, and at least one version on.
  private func pageEnd(
    of list: ListRecord, from: ListState, to: ListState, limit: Int?
  ) throws -> ListState {
    let (start, end) = (from.version.number, to.version.number)
    guard let limit, abs(end - start) > 1 else { return to }
    // What lies before the oldest version has no steps: the way from the empty list leads there,
    // and so does the way back.
    if list.oldest > Version(1) {
      if start == 0 { return try state(of: list.oldest, in: list) }
      if end == 0 {
        let oldest = try state(of: list.oldest, in: list)
        return from == oldest ? to : try pageEnd(of: list, from: from, to: oldest, limit: limit)
      }
    }
    let direction = start < end ? 1 : -1
    var (near, far) = (1, abs(end - start))
    while near < far {
      let middle = (near + far + 1) / 2
      let version = start + direction * middle
      let range = Version(min(start, version) + 1)...Version(max(start, version))
      if try changeCount(range, of: list.key) <= limit { near = middle } else { far = middle - 1 }
    }
    return try state(of: Version(start + direction * near), in: list)
  }

  private func snapshotAnswer(
    of list: ListRecord, from: ListState?, at state: ListState, _ reason: SnapshotDelta.Reason
  ) throws -> CatchUpAnswer<Delta> {
    .snapshot(
      SnapshotDelta(
        list: list.name, from: from, to: state, oldest: list.oldest,
        snapshot: try checkedSnapshot(at: state, of: list), reason: reason))
  }

  /// The list as it is wanted, where it has fewer bytes than the delta, be that a page or all of it: a
  /// whole list has nothing after it.
  private func smallerSnapshot(
    of list: ListRecord, at wanted: ListState, than delta: Delta
  ) throws -> SnapshotDelta? {
    // A delta of fewer changes than the list has items is nearly always the smaller one, and not
    // worth reading the list for.
    guard delta.changes.count * 2 >= wanted.count else { return nil }
    let snapshot = try checkedSnapshot(at: wanted, of: list)
    guard snapshot.writtenByteCount < delta.writtenByteCount else { return nil }
    return SnapshotDelta(
      list: list.name, from: delta.from, to: wanted, oldest: list.oldest, snapshot: snapshot,
      reason: .smaller)
  }
}

extension ListState {
  var version: Version {
    guard let cursor else { preconditionFailure("a stored state has a cursor") }
    return cursor.version
  }
}
