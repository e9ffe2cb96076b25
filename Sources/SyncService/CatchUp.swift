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
  /// Both snapshots are read and compared.
  case snapshots

  /// The cheaper way, by the number of rows that it reads.
  ///
  /// - Parameters:
  ///   - stepChangeCount: the changes in the steps between the versions.
  ///   - snapshotRowCount: the rows that rebuild both snapshots.
  static func cheapest(stepChangeCount: Int, snapshotRowCount: Int) -> DeltaRoute {
    stepChangeCount <= snapshotRowCount ? .steps : .snapshots
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
    let stepChangeCount = try changeCount(of: list, low.next...high)
    let snapshotRowCount =
      try rowCount(forSnapshotAt: low, of: list)
      + rowCount(forSnapshotAt: high, of: list)
    switch DeltaRoute.cheapest(
      stepChangeCount: stepChangeCount, snapshotRowCount: snapshotRowCount)
    {
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
    try storedItems(at: from, of: list).changes(to: storedItems(at: to, of: list))
  }

  private func changeCount(of list: ListRecord, _ range: ClosedRange<Version>) throws -> Int {
    try versions(range, of: list.key).reduce(0) { $0 + $1.changes.total }
  }

  /// The rows that rebuild a snapshot: all up to it.
  private func rowCount(forSnapshotAt version: Version, of list: ListRecord) throws -> Int {
    version == .zero ? 0 : try changeCount(of: list, Version(1)...version)
  }
}

extension ListState {
  var version: Version {
    guard let cursor else { preconditionFailure("a stored state has a cursor") }
    return cursor.version
  }
}
