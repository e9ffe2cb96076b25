import ListModel

extension ListOutline {
  /// An outline like that of a long file: its groups do not know their items.
  package static func ofFile(with items: [Item]) -> ListOutline {
    let groups = RootTree(of: items).top.smallGroups
    return ListOutline(
      tree: items.isEmpty ? .empty : RootTree(above: groups, level: 1),
      items: { $0.flatMap { items[$0] } })
  }
}

extension RootNode {
  fileprivate var smallGroups: [RootNode] {
    level > 1
      ? groups.flatMap(\.smallGroups) : [RootNode(level: 1, itemCount: itemCount, hash: hash)]
  }
}
