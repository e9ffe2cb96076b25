import ListChanges
import ListModel
import ListStore

/// Makes the changes between two versions.
extension ListReader {
  func delta(of list: ListRecord, from: ListState, to: ListState) throws -> Delta {
    let (start, end) = (from.version, to.version)
    let changes = try changes(of: list, from: start, to: end)
    var before: [StoredItem]?
    let named = try named(changes, of: list.key) { index in
      let items = try before ?? storedItems(at: start, of: list)
      before = items
      return items[index]
    }
    return Delta(list: list.name, from: from, to: to, oldest: list.oldest, changes: named)
  }

  /// The changes from one version to another, as keys.
  func changes(of list: ListRecord, from: Version, to: Version) throws -> ChangeSet<StoredItem> {
    let (low, high) = (min(from, to), max(from, to))
    guard low < high else {
      let count = try state(of: low, in: list).count
      return try ChangeSet(oldCount: count, newCount: count)
    }
    switch try route(of: list, from: low, to: high).way {
    case .steps: return try composedChanges(of: list, from: from, to: to)
    case .snapshots: return try comparedChanges(of: list, from: from, to: to)
    }
  }

  /// The cheaper way between two different versions.
  func route(of list: ListRecord, from low: Version, to high: Version) throws -> DeltaRoute {
    let isWhole = low.next >= list.firstStep
    let changeCount = isWhole ? try changeCount(low.next...high, of: list.key) : 0
    let steps = DeltaRoute.steps(stepCount: high.number - low.number, changeCount: changeCount)
    // One step is the answer itself.
    if isWhole, low.next == high { return steps }
    let replayed = try replayedCount(at: low, of: list)
    let further =
      try isRebuiltAlone(high, after: low, of: list)
      ? replayedCount(at: high, of: list) : changeCount
    let snapshots = DeltaRoute.snapshots(
      replayedCount: replayed + further,
      itemCount: try state(of: low, in: list).count + state(of: high, in: list).count)
    return isWhole ? .cheaper(steps, snapshots) : snapshots
  }

  /// The changes, composed of the steps between the versions.
  func composedChanges(
    of list: ListRecord, from: Version, to: Version
  ) throws -> ChangeSet<StoredItem> {
    let (low, high) = (min(from, to), max(from, to))
    let steps = try steps(low.next...high, of: list.key).map(\.changes)
    guard let changes = ChangeSet.composing(steps) else {
      preconditionFailure("two different versions have a step between them")
    }
    return from < to ? changes : changes.inverted()
  }

  /// The changes, as a comparison of the snapshots at both versions.
  func comparedChanges(
    of list: ListRecord, from: Version, to: Version
  ) throws -> ChangeSet<StoredItem> {
    let (low, high) = (min(from, to), max(from, to))
    let earlier = try storedItems(at: low, of: list)
    let later =
      try isRebuiltAlone(high, after: low, of: list)
      ? storedItems(at: high, of: list) : advance(earlier, of: list, from: low, to: high)
    do {
      return from < to ? try earlier.changes(to: later) : try later.changes(to: earlier)
    } catch {
      throw StoreError.corrupt(reason: "a checkpoint of \(list.name) has an item twice")
    }
  }
}
