import ListChanges
import ListModel
import ListStore
import SyncService

/// A list as plain values: what a store must answer, worked out without one.
///
/// It forgets nothing: what was pruned is still known here.
package struct ListTwin: Equatable, Sendable {
  /// By version, the empty list first.
  package private(set) var snapshots: [Snapshot] = [.empty]
  /// Of versions 1, 2 …
  package private(set) var records: [VersionRecord] = []
  /// How many changes the step to each of them holds; one that moves and changes an item is one.
  private var stepCounts: [Int] = []
  package private(set) var tags: [TagName: TagRecord] = [:]
  /// The newest first.
  package private(set) var prunes: [PruneRecord] = []

  package init() {}

  package var head: Version { Version(records.count) }
  package var oldest: Version { prunes.first?.newOldest ?? Version(1) }
  package var headItems: [Item] { snapshots[records.count].items }

  package func state(of version: Version) -> ListState {
    version == .zero ? .zero : records[version.number - 1].state
  }

  package func cursor(of version: Version) -> Cursor {
    state(of: version).cursor ?? Cursor(version: .zero, chain: .zero)
  }

  /// Whether a version is still there.
  package func keeps(_ version: Version) -> Bool { version == .zero || version >= oldest }

  /// The versions that are still there, newest first.
  package var log: [VersionRecord] { records.suffix(from: oldest.number - 1).reversed() }

  package func changes(from: Version, to: Version) -> ChangeSet<Item> {
    snapshots[from.number].changes(to: snapshots[to.number])
  }

  /// How many changes the steps between two versions hold.
  package func stepChangeCount(from: Version, to: Version) -> Int {
    let (low, high) = (min(from, to).number, max(from, to).number)
    return stepCounts[low..<high].reduce(0, +)
  }

  /// Makes a snapshot the next version, where it is not the head.
  package mutating func commit(_ snapshot: Snapshot, _ note: CommitNote) {
    let step = snapshots[records.count].changes(to: snapshot)
    if step.isEmpty { return }
    let checksum = Checksum(of: snapshot)
    let chain = (records.last?.chain ?? .zero).extended(
      by: step, to: head.next, checksum: checksum, note: note)
    records.append(
      VersionRecord(
        version: head.next, note: note, count: snapshot.items.count,
        changes: ChangeCounts(step), checksum: checksum, chain: chain))
    let moved = Set(step.moved.map(\.to))
    stepCounts.append(
      step.removed.count + step.inserted.count
        + moved.union(step.updated.map(\.to)).count)
    snapshots.append(snapshot)
  }

  /// Takes the versions of another list, up to one, that come after the head.
  package mutating func take(_ other: ListTwin, upTo version: Version) {
    guard version > head else { return }
    snapshots += other.snapshots[(head.number + 1)...version.number]
    stepCounts += other.stepCounts[head.number..<version.number]
    records += other.records[head.number..<version.number]
  }

  package mutating func tag(_ name: TagName, at time: Timestamp) {
    if tags[name]?.version == head { return }
    tags[name] = TagRecord(name: name, version: head, taggedAt: time)
  }

  /// Removes the versions below one, as a rule asks that the text names.
  package mutating func prune(to floor: Version, rule: RetentionRule, at time: Timestamp) {
    guard floor > oldest else { return }
    prunes.insert(
      PruneRecord(
        oldOldest: oldest, newOldest: floor, prunedAt: time, author: nil,
        rule: rule.description, chain: records[floor.number - 1].chain), at: 0)
  }

  /// The oldest version that a rule keeps: nothing below it is among the last so many, was the
  /// newest at any moment of the period, or bears a tag.
  package func floor(by rule: RetentionRule, at time: Timestamp) -> Version {
    var floor = head
    if let count = rule.keepLast { floor = min(floor, Version(max(1, head.number - count + 1))) }
    if let period = rule.keepWithin {
      let start = Timestamp(
        millisecondsSince1970: time.millisecondsSince1970 - period.milliseconds)
      if let first = records.first(where: { keeps($0.version) && $0.note.time >= start }) {
        // The version before it was still the newest when the period began.
        let began = first.note.time > start ? first.version.number - 1 : first.version.number
        floor = min(floor, Version(max(1, began)))
      }
    }
    return max(oldest, min(floor, tags.values.map(\.version).min() ?? floor))
  }
}
