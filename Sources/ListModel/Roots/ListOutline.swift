import ListChanges

/// A whole list, of which a commit needs only what differs from the version before: the groups of
/// its tree (see ``Root``), and its items group by group.
///
/// That of a list in memory has the items. That of a long file has the file, and reads the items of
/// a group from it when they are asked for.
public struct ListOutline: Sendable {
  package let tree: RootTree
  /// Whether it is known that no two items have the same id.
  package let hasUniqueIDs: Bool
  private let read: @Sendable (_ ranges: [Range<Int>]) -> [Item]
  private let readWhole: @Sendable () throws -> Snapshot

  /// - Complexity: O(n) for n items, a SHA-256 for each, on all cores.
  public init(_ snapshot: Snapshot) {
    (tree, hasUniqueIDs) = (RootTree(of: snapshot.items), true)
    read = { ranges in
      ranges == [snapshot.items.indices] ? snapshot.items : ranges.flatMap { snapshot.items[$0] }
    }
    readWhole = { snapshot }
  }

  /// - Parameters:
  ///   - tree: the tree, whose groups of level 1 need not know their items.
  ///   - items: reads the items of some ranges, each of which is a sequence of groups of level 1.
  ///   - whole: reads the whole list; throws when an id is in it twice.
  package init(
    tree: RootTree, items: @escaping @Sendable (_ ranges: [Range<Int>]) -> [Item],
    whole: @escaping @Sendable () throws -> Snapshot
  ) {
    (self.tree, hasUniqueIDs, read, readWhole) = (tree, false, items, whole)
  }

  public var count: Int { tree.itemCount }
  public var root: Root { tree.root }

  /// The items of some ranges, each of which is a sequence of groups of level 1.
  package func items(in ranges: [Range<Int>]) -> [Item] { read(ranges) }

  /// The whole list.
  ///
  /// - Throws: when an id is in it twice, the error that says where.
  public func snapshot() throws -> Snapshot { try readWhole() }
}
