import ListChanges
import ListModel
import StoreTestSupport
import SyncService

/// What catching up must give, worked out from all versions there ever were.
struct CatchUpOracle {
  enum Expected: Equatable, CustomStringConvertible {
    case answer(CatchUpAnswer<Delta>)
    /// Refused by name, with the oldest version and the head.
    case tooOld(oldest: Version, head: Version)
    /// No such version.
    case noSuchVersion

    var description: String {
      func name(_ state: ListState?) -> String { state?.cursor?.description ?? "nothing" }
      return switch self {
      case .answer(.changes(let delta)):
        """
        \(name(delta.from)) to \(name(delta.to)), oldest \(delta.oldest ?? .zero), more \
        \(delta.more), \(delta.changes.count) changes, \(ChangeDigest.of(delta.changes).prefix(6))
        """
      case .answer(.snapshot(let delta)):
        """
        \(name(delta.from)) to \(name(delta.to)), oldest \(delta.oldest), snapshot, \
        \(delta.reason), \(delta.snapshot.items.count) items
        """
      case .tooOld(let oldest, let head): "too old, \(oldest) to \(head)"
      case .noSuchVersion: "no such version"
      }
    }
  }

  let twin: ListTwin
  /// The state of the list that answers.
  let oldest: Version
  let head: Version

  /// - Parameter twin: holds every version that the list has had, or later ones, too.
  init(twin: ListTwin, oldest: Version, head: Version) {
    (self.twin, self.oldest, self.head) = (twin, oldest, head)
  }

  init(twin: ListTwin) { self.init(twin: twin, oldest: twin.oldest, head: twin.head) }

  /// - Precondition: The request names versions by number or cursor.
  func answer(to request: CatchUpRequest) -> Expected {
    let (since, to) = (request.since.version(under: head), request.to.version(under: head))
    guard since <= head, to <= head else { return .noSuchVersion }
    guard keeps(to) else { return tooOld }
    guard keeps(since) else {
      return request.fallsBack
        ? .answer(snapshot(from: nil, at: to, .tooOld)) : tooOld
    }
    if request.fallsBack, since == .zero, to > .zero {
      return .answer(snapshot(from: .zero, at: to, .first))
    }
    let end = pageEnd(since, to, limit: request.changeLimit)
    var delta = Delta(
      list: request.list, from: twin.state(of: since), to: twin.state(of: end),
      oldest: oldest, changes: twin.changes(from: since, to: end))
    delta.more = end != to
    if request.takesSmaller, isSnapshotSmaller(at: to, than: delta) {
      return .answer(snapshot(from: delta.from, at: to, .smaller))
    }
    return .answer(.changes(delta))
  }

  private var tooOld: Expected { .tooOld(oldest: oldest, head: head) }

  private func keeps(_ version: Version) -> Bool { version == .zero || version >= oldest }

  private func snapshot(
    from: ListState?, at version: Version, _ reason: SnapshotDelta.Reason
  ) -> CatchUpAnswer<Delta> {
    .snapshot(
      SnapshotDelta(
        list: .parks, from: from, to: twin.state(of: version), oldest: oldest,
        snapshot: twin.snapshots[version.number], reason: reason))
  }

  /// The last version, on the way, up to which there are no more changes than the limit; the first
  /// one at least. No page ends where there are no versions any more.
  private func pageEnd(_ from: Version, _ to: Version, limit: Int?) -> Version {
    guard let limit, from != to else { return to }
    let stops = stops(from, to)
    return stops.last { stop in
      stop == stops.first || isStep(from, stop) && changeCount(from, stop) <= limit
    } ?? to
  }

  /// The versions after one, up to another, where a page can end.
  private func stops(_ from: Version, _ to: Version) -> [Version] {
    let numbers =
      from < to
      ? Array(from.number + 1...to.number) : (to.number..<from.number).reversed()
    return numbers.map { Version($0) }.filter { keeps($0) }
  }

  /// Whether every step on the way is still there.
  private func isStep(_ a: Version, _ b: Version) -> Bool {
    min(a, b) >= oldest || oldest == Version(1)
  }

  private func changeCount(_ a: Version, _ b: Version) -> Int {
    twin.stepChangeCount(from: a, to: b)
  }

  private func isSnapshotSmaller(at version: Version, than delta: Delta) -> Bool {
    let snapshot = twin.snapshots[version.number]
    guard delta.changes.count * 2 >= snapshot.items.count else { return false }
    return snapshot.writtenByteCount < delta.writtenByteCount
  }
}

extension Revision {
  /// The version that a client means which the list's own store has told it.
  fileprivate func version(under head: Version) -> Version {
    switch self {
    case .version(let version): version
    case .cursor(let cursor): cursor.version
    case .head(let back): Version(max(0, head.number - back))
    case .date, .tag: preconditionFailure("clients name versions by number or cursor")
    }
  }
}
