import ListChanges

/// The changes from one state of a list to another, with both states.
///
/// `Changes` is a `ChangeSet` in ``Delta``, which can be inverted, composed and rendered, and
/// ``BareChanges`` in a delta document.
public struct ListDelta<Changes: Equatable & Sendable>: Equatable, Sendable {
  /// Nil where two snapshots without a store were compared.
  public let list: ListName?
  public let from: ListState
  public let to: ListState
  /// The first version that the store can still answer for. Nil without a store, or to omit it: it
  /// can rise while the rest stays the same.
  public var oldest: Version?
  /// The changes from `from` to `to`; every move has its id.
  public let changes: Changes
  /// Whether this is a page, and more changes follow `to`.
  public var more: Bool
  /// The signed note of `to`, if there is one.
  public var note: String?

  public init(
    list: ListName?, from: ListState, to: ListState, oldest: Version?, changes: Changes,
    more: Bool = false
  ) {
    self.list = list
    self.from = from
    self.to = to
    self.oldest = oldest
    self.changes = changes
    self.more = more
  }
}

/// A delta with a complete change set.
public typealias Delta = ListDelta<ChangeSet<Item>>

extension ListDelta<BareChanges> {
  /// - Precondition: Every move of the delta has its id.
  public init(_ delta: Delta) {
    self.init(
      list: delta.list, from: delta.from, to: delta.to, oldest: delta.oldest,
      changes: BareChanges(delta.changes), more: delta.more)
    note = delta.note
  }
}

/// Why a replica gets a whole list instead of the changes to its own.
public enum WholeListReason: String, Error, Sendable, CaseIterable {
  /// The replica had no list before.
  case first
  /// The replica's version was pruned.
  case tooOld = "too-old"
  /// The replica's state is not of this history, as after a restored backup.
  case diverged
  /// The list has fewer bytes than the changes.
  case smaller
}

/// A whole list instead of the changes to it.
public struct SnapshotDelta: Equatable, Sendable {
  public let list: ListName
  /// The replica's state; nil where the store does not know it.
  public var from: ListState?
  public let to: ListState
  public let oldest: Version
  public let snapshot: Snapshot
  public var reason: WholeListReason
  /// Whether changes follow `to`.
  public var more: Bool
  /// The signed note of `to`, if there is one.
  public var note: String?

  public init(
    list: ListName, from: ListState?, to: ListState, oldest: Version, snapshot: Snapshot,
    reason: WholeListReason, more: Bool = false
  ) {
    self.list = list
    self.from = from
    self.to = to
    self.oldest = oldest
    self.snapshot = snapshot
    self.reason = reason
    self.more = more
  }
}

/// The answer to a replica that asks for a version: it brings the replica there, or nearer.
///
/// `Changes` is a ``ListDelta``.
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
  /// The approximate number of bytes of the delta as a document.
  package var writtenByteCount: Int {
    let placed = changes.inserted.map(\.element) + changes.updated.map(\.new)
    return placed.reduce(0) { $0 + $1.writtenByteCount + $1.id.text.utf8.count + 32 }
      + changes.removed.reduce(0) { $0 + $1.element.id.text.utf8.count + 24 }
      + changes.moved.reduce(0) { $0 + ($1.id?.text.utf8.count ?? 0) + 36 }
  }
}

extension Snapshot {
  /// The approximate number of bytes of the snapshot in a document.
  package var writtenByteCount: Int { items.reduce(0) { $0 + $1.writtenByteCount } }
}

extension Item {
  /// The bytes of the content and of its surroundings in a document.
  fileprivate var writtenByteCount: Int { content.bytes.count + id.text.utf8.count + 20 }
}
