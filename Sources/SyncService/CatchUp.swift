import ListChanges
import ListModel
import ListStore

extension SyncService {
  /// What changed from one version of a list to another, in either direction.
  ///
  /// - Throws: `ServiceError` of those grouped under looking up; `.diverged` when a cursor names a
  ///   version that this list does not have, or has with another chain.
  /// - Complexity: where the steps are composed, O(c log² c) for the c changes between the
  ///   versions, whatever the length of the list.
  public func delta(
    of list: ListName, since from: Revision, to: Revision = .head
  ) async throws -> Delta {
    try await store.read { reader in
      let list = try reader.existingList(list)
      let from = try reader.state(of: from, in: list)
      let to = try reader.state(of: to, in: list)
      return try reader.delta(of: list, from: from, to: to)
    }
  }
}

/// How a delta between two versions is made.
enum DeltaRoute: Equatable {
  /// The steps between them are composed.
  case steps
  /// Both snapshots are rebuilt and compared.
  case snapshots

  /// The cheaper way, in visits of changes and items.
  ///
  /// Composing visits each change once for every level of a balanced tree over the steps. Comparing
  /// reads the changes up to the earlier version on top, and visits every item of both snapshots.
  ///
  /// - Parameters:
  ///   - stepCount: the steps between the versions, 1 or more.
  ///   - changeCount: the changes in them.
  ///   - earlierChangeCount: the changes up to the earlier version.
  ///   - itemCount: the items of both snapshots.
  static func cheapest(
    stepCount: Int, changeCount: Int, earlierChangeCount: Int, itemCount: Int
  ) -> DeltaRoute {
    let levelCount = Int.bitWidth - (stepCount - 1).leadingZeroBitCount
    return changeCount * levelCount <= earlierChangeCount + itemCount ? .steps : .snapshots
  }
}

extension ListReader {
  func delta(of list: ListRecord, from: ListState, to: ListState) throws -> Delta {
    let (start, end) = (from.version, to.version)
    let changes = try changes(of: list, from: start, to: end)
    var before: [StoredItem]?
    let named = try named(changes) { index in
      let items = try before ?? storedItems(at: start, of: list)
      before = items
      return items[index]
    }
    return Delta(list: list.name, from: from, to: to, oldest: list.oldest, changes: named)
  }

  private func changes(
    of list: ListRecord, from: Version, to: Version
  ) throws -> ChangeSet<StoredItem> {
    let (low, high) = (min(from, to), max(from, to))
    guard low < high else {
      let count = try state(of: low, in: list).count
      return try ChangeSet(
        oldCount: count, newCount: count, removed: [], moved: [], inserted: [], updated: [])
    }
    let route = DeltaRoute.cheapest(
      stepCount: high.number - low.number,
      changeCount: try changeCount(of: list, low.next...high),
      earlierChangeCount: try low == .zero ? 0 : changeCount(of: list, Version(1)...low),
      itemCount: try state(of: low, in: list).count + state(of: high, in: list).count)
    switch route {
    case .steps: return try composedChanges(of: list, from: from, to: to)
    case .snapshots: return try comparedChanges(of: list, from: from, to: to)
    }
  }

  /// The changes by way of the steps between the versions.
  func composedChanges(
    of list: ListRecord, from: Version, to: Version
  ) throws -> ChangeSet<StoredItem> {
    let (low, high) = (min(from, to), max(from, to))
    let steps = try steps(low.next...high, of: list.key).map(\.changes)
    guard let changes = ChangeSet.composing(steps) else {
      preconditionFailure("there is a step between two versions")
    }
    return from < to ? changes : changes.inverted()
  }

  /// The changes by way of the snapshots at both versions.
  func comparedChanges(
    of list: ListRecord, from: Version, to: Version
  ) throws -> ChangeSet<StoredItem> {
    let (low, high) = (min(from, to), max(from, to))
    let earlier = try storedItems(at: low, of: list)
    let later = try advance(earlier, of: list, from: low, to: high)
    return from < to ? try earlier.changes(to: later) : try later.changes(to: earlier)
  }

  private func changeCount(of list: ListRecord, _ range: ClosedRange<Version>) throws -> Int {
    try versions(range, of: list.key).reduce(0) { $0 + $1.changes.total }
  }
}

extension ListState {
  var version: Version {
    guard let cursor else { preconditionFailure("a stored state has a cursor") }
    return cursor.version
  }
}
