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

/// What the chain of a version covers. So it proves by itself that its root belongs to its cursor.
public struct VersionHeader: Hashable, Sendable {
  /// 1 or more.
  public let version: Version
  public let note: CommitNote
  public let root: Root
  /// The chain of the version before.
  public let previous: Chain
  /// Follows from all others.
  public let chain: Chain

  /// - Precondition: The version is 1 or more.
  public init(version: Version, note: CommitNote, root: Root, previous: Chain) {
    precondition(version > .zero, "version 0 has no header")
    (self.version, self.note, self.root, self.previous) = (version, note, root, previous)
    chain = previous.extended(to: version, root: root, note: note)
  }

  public var cursor: Cursor { Cursor(version: version, chain: chain) }

  /// Whether it is the header of the version after a cursor, in the history of the cursor.
  public func follows(_ cursor: Cursor) -> Bool {
    version == cursor.version.next
      && cursor.names(Cursor(version: cursor.version, chain: previous))
  }
}

extension [VersionHeader] {
  /// Whether these are the headers of the versions after a cursor, in ascending order, in the
  /// history of the cursor. False without a header.
  public func follow(_ cursor: Cursor) -> Bool {
    guard let first, first.follows(cursor) else { return false }
    return zip(self, dropFirst()).allSatisfy {
      $1.version == $0.version.next && $1.previous == $0.chain
    }
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

/// The state of a list at one version: cursor, number of items, and root.
public struct ListState: Sendable {
  /// Version 0 of every list.
  public static let zero = ListState(cursor: .zero, count: 0, root: .empty)

  /// Nil for a list outside of a store.
  public let cursor: Cursor?
  public let count: Int
  public let root: Root
  /// Proves that the root belongs to the cursor. Nil for version 0, and where only the cursor is
  /// known.
  public let header: VersionHeader?

  /// A state that is not proved.
  public init(cursor: Cursor?, count: Int, root: Root) {
    (self.cursor, self.count, self.root, header) = (cursor, count, root, nil)
  }

  public init(_ header: VersionHeader, count: Int) {
    (cursor, self.count, root, self.header) = (header.cursor, count, header.root, header)
  }

  /// The state of a snapshot outside of a store.
  public init(of snapshot: Snapshot) {
    self.init(cursor: nil, count: snapshot.items.count, root: Root(of: snapshot))
  }

  /// - Precondition: It is the state of a version of a store.
  package var knownCursor: Cursor {
    guard let cursor else { preconditionFailure("a stored state has a cursor") }
    return cursor
  }

  /// - Precondition: It is the state of a version of a store.
  package var version: Version { knownCursor.version }

  /// The whole chain; nil if it is not known.
  package var chain: Chain? { cursor == .zero ? .zero : header?.chain }
}

/// The header is not compared: it follows from the cursor.
extension ListState: Hashable {
  public static func == (a: ListState, b: ListState) -> Bool {
    a.cursor == b.cursor && a.count == b.count && a.root == b.root
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(cursor)
    hasher.combine(count)
    hasher.combine(root)
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
