import ListChanges

/// The metadata of a commit: time, author and message.
public struct CommitNote: Hashable, Sendable {
  public let time: Timestamp
  public let author: String?
  public let message: String?

  public init(time: Timestamp, author: String? = nil, message: String? = nil) {
    self.time = time
    self.author = author
    self.message = message
  }
}

/// The number of changes of each kind in a change set.
public struct ChangeCounts: Hashable, Sendable {
  public let removed: Int
  public let moved: Int
  public let inserted: Int
  public let updated: Int

  public init(removed: Int, moved: Int, inserted: Int, updated: Int) {
    self.removed = removed
    self.moved = moved
    self.inserted = inserted
    self.updated = updated
  }
}

/// One version of a list. It never changes.
public struct VersionRecord: Hashable, Sendable {
  public let version: Version
  public let note: CommitNote
  /// The number of items in the snapshot.
  public let count: Int
  public let changes: ChangeCounts
  public let root: Root
  public let chain: Chain

  public init(
    version: Version, note: CommitNote, count: Int, changes: ChangeCounts, root: Root,
    chain: Chain
  ) {
    self.version = version
    self.note = note
    self.count = count
    self.changes = changes
    self.root = root
    self.chain = chain
  }

  public var cursor: Cursor { Cursor(version: version, chain: chain) }

  public var state: ListState { ListState(cursor: cursor, count: count, root: root) }
}

/// The state of a list at one version: cursor, number of items, and root.
public struct ListState: Hashable, Sendable {
  /// Version 0 of every list.
  public static let zero = ListState(cursor: .zero, count: 0, root: .empty)

  /// Nil for a list outside of a store.
  public let cursor: Cursor?
  public let count: Int
  public let root: Root

  public init(cursor: Cursor?, count: Int, root: Root) {
    self.cursor = cursor
    self.count = count
    self.root = root
  }

  /// The state of a snapshot outside of a store.
  public init(of snapshot: Snapshot) {
    self.init(cursor: nil, count: snapshot.items.count, root: Root(of: snapshot))
  }
}

extension ChangeCounts {
  /// The sum; `Int.max` where damaged counts would add up to more.
  public var total: Int { removed.adding(moved).adding(inserted).adding(updated) }

  public init(_ changes: ChangeSet<some Identifiable & Equatable>) {
    self.init(
      removed: changes.removed.count, moved: changes.moved.count,
      inserted: changes.inserted.count, updated: changes.updated.count)
  }
}

extension BareChanges {
  package var counts: ChangeCounts {
    ChangeCounts(
      removed: removed.count, moved: moved.count, inserted: inserted.count, updated: updated.count)
  }
}

extension Int {
  /// The sum; `Int.max` where it would be more, as it can be for counts from a file or a store.
  package func adding(_ count: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(count)
    return overflows ? .max : sum
  }
}
