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
  public let header: VersionHeader
  /// The number of items in the snapshot.
  public let count: Int
  public let changes: ChangeCounts

  public init(_ header: VersionHeader, count: Int, changes: ChangeCounts) {
    (self.header, self.count, self.changes) = (header, count, changes)
  }

  /// A version after another one, whose chain is `previous`.
  public init(
    version: Version, note: CommitNote, count: Int, changes: ChangeCounts, root: Root,
    previous: Chain
  ) {
    self.init(
      VersionHeader(version: version, note: note, root: root, previous: previous), count: count,
      changes: changes)
  }

  public var version: Version { header.version }
  public var note: CommitNote { header.note }
  public var root: Root { header.root }
  public var chain: Chain { header.chain }
  public var cursor: Cursor { header.cursor }

  public var state: ListState { ListState(header, count: count) }
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
