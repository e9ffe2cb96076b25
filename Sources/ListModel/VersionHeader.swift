/// The part of a version that its chain covers. A header alone proves that the version's root
/// belongs to its cursor.
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
