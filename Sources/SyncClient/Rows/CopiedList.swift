import ListChanges
import ListDocuments
import ListModel

/// The items of a copy, in memory or as rows of a table.
package enum CopiedList: Sendable {
  case memory(ProvenList<[Item]>)
  /// With the items in memory, too, if the replica hands over arrays.
  case rows(StoredList, items: [Item]? = nil)

  package var count: Int {
    switch self {
    case .memory(let list): list.count
    case .rows(let list, _): list.count
    }
  }

  package var root: Root {
    switch self {
    case .memory(let list): list.root
    case .rows(let list, _): list.root
    }
  }

  /// The items in memory; nil if they are rows alone.
  package var known: [Item]? {
    switch self {
    case .memory(let list): list.snapshot.items
    case .rows(_, let items): items
    }
  }

  /// The tree of the items in memory, if it was made.
  package var tree: RootTree? {
    if case .memory(let list) = self { list.tree } else { nil }
  }

  /// - Complexity: O(1) in memory; one group of rows, about 33, in a table.
  package func item(at index: Int) throws -> Item {
    switch self {
    case .memory(let list): list.snapshot.items[index]
    case .rows(let list, let items): try items?[index] ?? list.item(at: index)
    }
  }

  /// All items, in order.
  package func items() throws -> [Item] {
    switch self {
    case .memory(let list): list.snapshot.items
    case .rows(let list, let items): try items ?? list.items()
    }
  }

  /// The list after a step from it.
  package func applying(_ step: ChangeSet<Item>) throws -> CopiedList {
    switch self {
    case .memory(let list):
      return .memory(ProvenList(Snapshot(uniqueItems: try list.snapshot.items.applying(step))))
    case .rows(var list, let items):
      try list.apply(step)
      return .rows(list, items: try items?.applying(step))
    }
  }

  /// The list that a document leads to, and its changes with the items that they remove and
  /// replace.
  ///
  /// - Throws: `DeltaError`, as `ProvenList/apply(_:)`; errors of reading rows.
  func applying(_ document: DeltaDocument) throws -> (CopiedList, ChangeSet<Item>) {
    switch self {
    case .memory(var list):
      let changes = try list.apply(document)
      return (.memory(list), changes)
    case .rows(var list, let items):
      let changes = try list.apply(document)
      return (.rows(list, items: try items?.applying(changes)), changes)
    }
  }
}
