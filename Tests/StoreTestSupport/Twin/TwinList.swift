import ListChanges
import ListModel
import ListStore
import SyncService
import TestSupport

/// A list and its history as plain arrays: every version is complete, and the changes between two
/// versions are computed from both. Pruned versions stay known.
package struct TwinList: Equatable, Sendable {
  package internal(set) var name: ListName
  /// By version; empty for those that the list never had, since it starts later.
  package private(set) var snapshots: [[Item]] = [[]]
  /// By version; nil for version 0 and those that the list never had.
  package private(set) var records: [VersionRecord?] = [nil]
  package internal(set) var oldest = 1
  package internal(set) var tags: [TagRecord] = []
  /// The newest first.
  package internal(set) var prunes: [PruneRecord] = []
  package internal(set) var idRule: String?
  /// By name that the list left: the index of the store's record of that.
  package internal(set) var departures: [ListName: Int] = [:]
  /// How far the list was imported, by source.
  package internal(set) var positions: [String: String] = [:]

  package init(_ name: ListName) { self.name = name }

  package var head: Int { snapshots.count - 1 }
  package var items: [Item] { snapshots[head] }
  package var headCursor: Cursor { cursor(head) }
  /// The records of the versions that are kept, newest first.
  package var log: [VersionRecord] { kept.reversed().map { record($0) } }
  /// The versions that are kept.
  package var kept: [Int] { head == 0 ? [] : Array(oldest...head) }
  /// The kept versions whose step is kept.
  package var steps: [Int] { kept.filter { $0 == 1 || $0 > oldest } }

  package func cursor(_ version: Int) -> Cursor {
    records[version]?.cursor ?? Cursor(version: .zero, chain: .zero)
  }

  package func state(_ version: Int) -> ListState { records[version]?.state ?? .zero }

  package func record(_ version: Int) -> VersionRecord {
    guard let record = records[version] else { preconditionFailure("version 0 has no record") }
    return record
  }

  package func snapshot(_ version: Int) -> Snapshot { Snapshot(uniqueItems: snapshots[version]) }

  /// Whether a version is still kept.
  package func keeps(_ version: Int) -> Bool { version == 0 || version >= oldest }

  /// The list as it was with an earlier head and another oldest version.
  package func asOf(head: Int, oldest: Int) -> TwinList {
    var list = self
    list.snapshots = Array(snapshots.prefix(head + 1))
    list.records = Array(records.prefix(head + 1))
    list.oldest = oldest
    return list
  }

  /// The number of changed items of a version; an item that moved and changed counts once.
  package func changeCount(_ version: Int) -> Int {
    let step = changes(version - 1, version)
    return step.removed.count + step.inserted.count
      + Set(step.moved.map(\.to)).union(step.updated.map(\.to)).count
  }

  /// The changes from one version to another, by definition.
  package func changes(_ from: Int, _ to: Int) -> ChangeSet<Item> {
    changesByDefinition(from: snapshots[from], to: snapshots[to])
  }

  package func delta(_ from: Int, _ to: Int) -> Delta {
    Delta(
      list: name, from: state(from), to: state(to), oldest: Version(oldest),
      changes: changes(from, to))
  }

  /// Makes a snapshot the next version, unless it equals the head.
  package mutating func commit(_ snapshot: Snapshot, _ note: CommitNote) {
    if snapshot.items != items { _ = append(snapshot.items, note) }
  }

  /// Makes items the next version.
  ///
  /// - Precondition: Their ids are unique.
  mutating func append(_ items: [Item], _ note: CommitNote) -> VersionRecord {
    let step = changesByDefinition(from: self.items, to: items)
    let root = Root(of: Snapshot(uniqueItems: items))
    let version = Version(head + 1)
    let record = VersionRecord(
      version: version, note: note, count: items.count, changes: ChangeCounts(step),
      root: root, previous: records[head]?.chain ?? .zero)
    snapshots.append(items)
    records.append(record)
    return record
  }

  /// Starts the list at a later version than the first.
  mutating func start(_ items: [Item], at record: VersionRecord) {
    let missing = record.version.number - 1
    snapshots += Array(repeating: [], count: missing) + [items]
    records += Array(repeating: nil, count: missing) + [record]
    oldest = record.version.number
  }
}

/// The one canonical change set between two lists, item by item as DESIGN.md words it.
package func changesByDefinition(from old: [Item], to new: [Item]) -> ChangeSet<Item> {
  let places = Dictionary(uniqueKeysWithValues: new.enumerated().map { ($1.id, $0) })
  let oldPlaces = Dictionary(uniqueKeysWithValues: old.enumerated().map { ($1.id, $0) })
  do {
    return try ChangeSet(
      oldCount: old.count, newCount: new.count,
      removed: old.indices.filter { places[old[$0].id] == nil }.map {
        .init(from: $0, element: old[$0])
      },
      moved: movesByDefinition(from: old.map(\.id), to: new.map(\.id)).map {
        .init(from: $0[0], to: $0[1], id: old[$0[0]].id)
      },
      inserted: new.indices.filter { oldPlaces[new[$0].id] == nil }.map {
        .init(to: $0, element: new[$0])
      },
      updated: new.indices.compactMap { to in
        guard let from = oldPlaces[new[to].id], old[from] != new[to] else { return nil }
        return .init(from: from, to: to, old: old[from], new: new[to])
      })
  } catch {
    preconditionFailure("the definition breaks the rules of change sets: \(error)")
  }
}
