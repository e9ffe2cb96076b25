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
