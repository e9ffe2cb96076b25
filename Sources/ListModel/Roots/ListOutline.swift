import ListChanges

/// A whole list, no id twice: the groups of its tree (see ``Root``), and its items group by group.
/// A commit needs only the items that differ from the version before.
///
/// That of a list in memory has the items. That of a long file has the file, and reads the items of
/// a group from it when they are asked for.
public struct ListOutline: Sendable {
  package let tree: RootTree
  /// Nil if the items are not in memory. Whoever made the outline has then checked their sizes.
  package let snapshotInMemory: Snapshot?
  private let read: @Sendable (_ ranges: [Range<Int>]) -> [Item]

  /// - Complexity: O(n) for n items, a SHA-256 for each, on all cores.
  public init(_ snapshot: Snapshot) {
    (tree, snapshotInMemory) = (RootTree(of: snapshot.items), snapshot)
    read = { ranges in ranges.flatMap { snapshot.items[$0] } }
  }

  /// - Parameters:
  ///   - tree: the tree, whose groups of level 1 need not know their items.
  ///   - items: reads the items of some ranges, each of which is a sequence of groups of level 1.
  /// - Precondition: No two items have the same id.
  package init(
    tree: RootTree, items: @escaping @Sendable (_ ranges: [Range<Int>]) -> [Item]
  ) {
    (self.tree, snapshotInMemory, read) = (tree, nil, items)
  }

  public var count: Int { tree.itemCount }
  public var root: Root { tree.root }

  /// The items of some ranges, each of which is a sequence of groups of level 1.
  package func items(in ranges: [Range<Int>]) -> [Item] { read(ranges) }

  /// The whole list.
  public var snapshot: Snapshot {
    snapshotInMemory ?? Snapshot(uniqueItems: items(in: [0..<count]))
  }
}
