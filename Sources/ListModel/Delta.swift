import ListChanges

/// What brings a replica from one state of a list to another.
public struct Delta: Equatable, Sendable {
  /// Nil where two snapshots were compared that no store keeps.
  public let list: ListName?
  public let from: ListState
  public let to: ListState
  /// The first version that the store can still answer for; nil where there is no store.
  public let oldest: Version?
  /// The change set from `from` to `to`; every move has its id.
  public let changes: ChangeSet<Item>
  /// Whether this is a page, and more changes follow `to`.
  public var more = false

  public init(
    list: ListName?, from: ListState, to: ListState, oldest: Version?, changes: ChangeSet<Item>
  ) {
    self.list = list
    self.from = from
    self.to = to
    self.oldest = oldest
    self.changes = changes
  }
}

/// A whole list in place of what brings a replica there.
public struct SnapshotDelta: Equatable, Sendable {
  public enum Reason: String, Sendable, CaseIterable {
    /// The replica is empty.
    case first
    /// What the replica has was pruned.
    case tooOld = "too-old"
    /// What the replica has is not of this history.
    case diverged
    /// The list has fewer bytes than the changes.
    case smaller
  }

  public let list: ListName
  /// What the replica has; nil where the store does not know that state.
  public let from: ListState?
  public let to: ListState
  public let oldest: Version
  public let snapshot: Snapshot
  public let reason: Reason

  public init(
    list: ListName, from: ListState?, to: ListState, oldest: Version, snapshot: Snapshot,
    reason: Reason
  ) {
    self.list = list
    self.from = from
    self.to = to
    self.oldest = oldest
    self.snapshot = snapshot
    self.reason = reason
  }
}

/// What brings a replica to the version that it wants, or nearer.
///
/// `Changes` is a ``Delta``, or what came of one over the border.
public enum CatchUpAnswer<Changes: Equatable & Sendable>: Equatable, Sendable {
  case changes(Changes)
  case snapshot(SnapshotDelta)
}

extension CatchUpAnswer<Delta> {
  public var to: ListState {
    switch self {
    case .changes(let delta): delta.to
    case .snapshot(let delta): delta.to
    }
  }
}

extension Delta {
  /// About how many bytes the delta has as a document.
  package var writtenByteCount: Int {
    let placed = changes.inserted.map(\.element) + changes.updated.map(\.new)
    return placed.reduce(0) { $0 + $1.writtenByteCount + $1.id.text.utf8.count + 32 }
      + changes.removed.reduce(0) { $0 + $1.element.id.text.utf8.count + 24 }
      + changes.moved.reduce(0) { $0 + ($1.id?.text.utf8.count ?? 0) + 36 }
  }
}

extension Snapshot {
  /// About how many bytes the snapshot has in a document.
  package var writtenByteCount: Int { items.reduce(0) { $0 + $1.writtenByteCount } }
}

extension Item {
  /// The content, with what stands around it in a document.
  fileprivate var writtenByteCount: Int { content.bytes.count + id.text.utf8.count + 20 }
}
