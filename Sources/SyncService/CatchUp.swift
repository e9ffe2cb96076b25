import ListChanges
import ListModel
import ListStore

/// The question of a client that has a list as it once was.
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
  /// - Throws: `ServiceError` of those grouped under looking up; `.diverged` when a cursor is not
  ///   of this list's history; `.tooOld` when a version was pruned.
  /// - Complexity: for composed steps, O(c log c) for the c changes between the versions, whatever
  ///   the length of the list.
  public func delta(
    of list: ListName, since from: Revision, to: Revision = .head
  ) async throws -> Delta {
    var request = CatchUpRequest(list: list, since: from)
    request.to = to
    guard case .changes(let delta) = try await catchUp(request) else {
      preconditionFailure("a request without fallback is answered by changes")
    }
    return delta
  }

  /// The changes that a client lacks, or the whole list.
  ///
  /// Changes that were costly to make are kept, and served again.
  ///
  /// - Throws: as ``delta(of:since:to:)``. A request that falls back gets neither `.diverged` nor
  ///   `.tooOld` for `since`.
  public func catchUp(_ request: CatchUpRequest) async throws -> CatchUpAnswer<Delta> {
    let (answer, use): (CatchUpAnswer<Delta>, KeptChangesUse?)
    do {
      (answer, use) = try await store.read { try $0.answer(request) }
    } catch let error as UnusableStart {
      // Not before: a standby's answer that is an error is asked from the primary.
      return try await store.read { try $0.answer(request, without: error.reason) }
    }
    let (time, limit) = (now(), KeptChangesRule.byteLimit)
    if let use, KeptChangesRule.isWorthRecording(last: use.lastUsedAt, at: time) {
      await store.writeIfFree { try $0.keep(use, at: time, byteLimit: limit) }
    }
    return answer
  }
}

/// Why a request that falls back cannot be answered by changes.
private struct UnusableStart: Error {
  let reason: SnapshotDelta.Reason
}

extension ListReader {
  /// - Throws: `UnusableStart` when only the whole list can answer the request.
  fileprivate func answer(
    _ request: CatchUpRequest
  ) throws -> (answer: CatchUpAnswer<Delta>, use: KeptChangesUse?) {
    if let since = request.since.version {
      let to = request.to.version ?? .highest
      willRead(min(since, to)...max(since, to))
    }
    let list = try existingList(request.list)
    let wanted = try state(of: request.to, in: list)
    let from: ListState
    do {
      from = try state(of: request.since, in: list)
    } catch ServiceError.diverged where request.fallsBack {
      throw UnusableStart(reason: .diverged)
    } catch ServiceError.tooOld where request.fallsBack {
      throw UnusableStart(reason: .tooOld)
    }
    if request.fallsBack, from.version == .zero, wanted.version > .zero {
      return (.snapshot(try whole(list, from: from, to: wanted, .first)), nil)
    }
    let to = try pageEnd(of: list, from: from, to: wanted, limit: request.changeLimit)
    var (delta, use) = try keptOrMadeDelta(of: list, from: from, to: to)
    delta.more = to != wanted
    // A delta of fewer changes than half the items is nearly always the smaller one: don't read the
    // list for it.
    if request.takesSmaller, delta.changes.count * 2 >= wanted.count {
      let smaller = try whole(list, from: from, to: wanted, .smaller)
      if smaller.snapshot.writtenByteCount < delta.writtenByteCount {
        return (.snapshot(smaller), use)
      }
    }
    return (.changes(delta), use)
  }

  fileprivate func answer(
    _ request: CatchUpRequest, without reason: SnapshotDelta.Reason
  ) throws -> CatchUpAnswer<Delta> {
    let list = try existingList(request.list)
    return .snapshot(
      try whole(list, from: nil, to: try state(of: request.to, in: list), reason))
  }

  private func whole(
    _ list: ListRecord, from: ListState?, to: ListState, _ reason: SnapshotDelta.Reason
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

/// Which composed changes are kept.
enum KeptChangesRule {
  /// The upper limit for all kept changes of a store.
  static let byteLimit = 64 << 20
  /// Fewer changes are composed as quickly as they are looked up.
  static let leastChangeCount = 512
  /// A use is recorded when the last recorded one is older.
  static let recordIntervalMilliseconds: Int64 = 3_600_000

  /// - Parameter last: the last recorded use; nil for the first.
  static func isWorthRecording(last: Timestamp?, at time: Timestamp) -> Bool {
    guard let last else { return true }
    let (age, overflows) = time.millisecondsSince1970.subtractingReportingOverflow(
      last.millisecondsSince1970)
    return overflows || age.magnitude > UInt64(recordIntervalMilliseconds)
  }
}

/// Changes to be kept, or kept changes that were used.
private struct KeptChangesUse: Sendable {
  let list: ListName
  let from: ListState
  let to: ListState
  /// Nil if they are kept already.
  var changes: ChangeSet<Item>?
  /// Nil if they are not kept yet.
  var lastUsedAt: Timestamp?
}

extension ListWriter {
  /// Stores what a catch-up kept, unless the list was dropped, renamed, begun again or pruned since
  /// the catch-up read it: the same key and version may belong to another history by now.
  fileprivate func keep(_ use: KeptChangesUse, at time: Timestamp, byteLimit: Int) throws {
    guard let list = try list(use.list), try has(use.from, in: list), try has(use.to, in: list)
    else { return }
    try keepChanges(
      use.changes, from: use.from.version, to: use.to.version, of: list.key, usedAt: time,
      byteLimit: byteLimit)
  }

  private func has(_ state: ListState, in list: ListRecord) throws -> Bool {
    if state.version == .zero { return true }
    return try versions(state.version...state.version, of: list.key).first?.state == state
  }
}

extension ListState {
  var version: Version {
    guard let cursor else { preconditionFailure("a stored state has a cursor") }
    return cursor.version
  }
}
