import ListChanges
import ListDocuments
import ListModel

/// The rows of a table in one of its states: a list in order, with the tree of its root.
package protocol StoredRows: AnyObject, Sendable {
  /// Knows the groups of level 2 or, of a short list, its only group.
  var tree: RootTree { get }

  /// The groups in the group of level 2 that begins with a row.
  func groups(from row: Int) throws -> [RootNode]

  /// The items of ascending ranges of rows, one after the other.
  ///
  /// - Throws: ``StaleRows`` if the table has another state now; `ReplicaError.changedRows` if
  ///   somebody else has changed a row of a group that is read.
  func items(at rows: [Range<Int>]) throws -> [Item]

  /// The number of the row with an id; nil if there is none.
  func row(of id: ItemID) throws -> Int?
}

/// Thrown when rows are read after their table got another state.
package struct StaleRows: Error {
  package init() {}
}

/// A list that differs from the rows of a table by some changes. It holds the changes alone, so
/// that a step of a long list costs the step.
package struct StoredList: Sendable {
  private var rows: any StoredRows
  /// From the rows to this list.
  package private(set) var changes: ChangeSet<Item>
  private var tree: RootTree
  /// The rows that are in this list, as runs of neighbours.
  private var runs: [(row: Int, index: Int, count: Int)]
  /// The other items, ascending by their indexes.
  private var others: [(index: Int, item: Item)] = []

  /// The list of all rows.
  package init(_ rows: any StoredRows) {
    (self.rows, tree) = (rows, rows.tree)
    changes = .none(count: rows.tree.itemCount)
    runs = changes.runs
  }

  /// The same list over the same rows, which are read in another way.
  package func over(_ rows: any StoredRows) -> StoredList {
    var list = self
    list.rows = rows
    return list
  }

  package var count: Int { tree.itemCount }
  package var root: Root { tree.root }

  package func items() throws -> [Item] { try items(at: [0..<count]) }

  package func item(at index: Int) throws -> Item { try items(at: [index..<index + 1])[0] }

  /// The items of ascending ranges of indexes, one after the other.
  package func items(at ranges: [Range<Int>]) throws -> [Item] {
    var items: [Item?] = []
    var needed: [(row: Int, position: Int)] = []
    for range in ranges {
      var next = others.partitioningIndex { $0.index >= range.lowerBound }
      for index in range {
        if next < others.count, others[next].index == index {
          items.append(others[next].item)
          next += 1
        } else {
          needed.append((row(index), items.count))
          items.append(nil)
        }
      }
    }
    // Rows are read in their order.
    needed.sort { $0.row < $1.row }
    for (place, item) in zip(needed, try rows.items(at: needed.map(\.row).asRanges)) {
      items[place.position] = item
    }
    return items.map { item in
      guard let item else { preconditionFailure("the row was read") }
      return item
    }
  }

  /// The index of the item with an id; nil if it is not in the list.
  package func index(of id: ItemID) throws -> Int? {
    if let inserted = changes.inserted.first(where: { $0.element.id == id }) { return inserted.to }
    if changes.removed.contains(where: { $0.element.id == id }) { return nil }
    guard let row = try rows.row(of: id) else { return nil }
    guard let run = runs.first(where: { $0.row <= row && row < $0.row + $0.count }) else {
      return nil
    }
    return run.index + row - run.row
  }

  /// The row of an item that this list has of the rows.
  package func row(_ index: Int) -> Int {
    let run = runs[runs.partitioningIndex { $0.index > index } - 1]
    return run.row + index - run.index
  }
}

// MARK: Steps

extension StoredList {
  /// Makes the list after a step from it.
  package mutating func apply(_ step: ChangeSet<Item>) throws { _ = try apply(updating: step) }

  /// As ``apply(_:)``.
  ///
  /// - Parameter next: the tree after the step, if it is known.
  /// - Returns: that tree, with the groups that are new.
  package mutating func apply(
    updating step: ChangeSet<Item>, _ next: RootTree? = nil
  ) throws -> TreeUpdate {
    let update =
      if count == 0, let next { TreeUpdate(whole: next) } else {
        try tree.advanced(by: step, StoredListSource(self))
      }
    tree = update.tree
    changes = changes.isEmpty ? step : changes.composed(with: step)
    runs = changes.runs
    others = changes.inserted.map { ($0.to, $0.element) }
    if !changes.updated.isEmpty {
      others += changes.updated.map { ($0.to, $0.new) }
      others.sort { $0.index < $1.index }
    }
    return update
  }

  /// Makes the list that a document leads to.
  ///
  /// - Returns: the changes, with the items that they remove and replace.
  /// - Throws: as ``CopiedList/applying(_:)``; the list is then unchanged.
  mutating func apply(_ document: DeltaDocument) throws -> ChangeSet<Item> {
    let (from, to) = (document.from, document.to)
    guard count == from.count, root == from.root else {
      throw DeltaError.notTheStart(expected: from.root, found: root)
    }
    let step = try completed(document.changes)
    var next = self
    try next.apply(step)
    guard next.count == to.count, next.root == to.root else {
      throw DeltaError.wrongResult(expected: to.root, found: next.root)
    }
    self = next
    return step
  }

  private func completed(_ changes: BareChanges) throws -> ChangeSet<Item> {
    let indexes = Set(changes.oldIndexes.filter { 0..<count ~= $0 }).sorted()
    let old = Dictionary(uniqueKeysWithValues: zip(indexes, try items(at: indexes.asRanges)))
    do {
      let step = try changes.completed { index in
        guard let item = old[index] else { preconditionFailure("the item was read") }
        return item
      }
      let gone = Set(step.removed.map(\.element.id))
      var new = Set<ItemID>()
      for insertion in step.inserted {
        let id = insertion.element.id
        let first = gone.contains(id) ? nil : try index(of: id)
        if !new.insert(id).inserted || first != nil {
          throw ListChangesError.duplicateID(
            id, first: first ?? insertion.to, second: insertion.to, side: .new)
        }
      }
      return step
    } catch let error as ListChangesError<ItemID> {
      throw DeltaError.changes(error)
    }
  }
}

/// Reads for the tree of a stored list. A group that the tree does not know has rows alone, which
/// are neighbours.
private final class StoredListSource: RootSource {
  private let list: StoredList

  init(_ list: StoredList) { self.list = list }

  func groups(from item: Int) throws -> [RootNode] { try list.groups(from: item) }

  func hashes(of items: [Range<Int>]) throws -> [TreeHash] {
    RootTree.hashes(of: try list.items(at: items))
  }
}

extension StoredList {
  fileprivate func groups(from item: Int) throws -> [RootNode] {
    try rows.groups(from: row(item))
  }
}

extension ChangeSet<Item> {
  fileprivate var runs: [(row: Int, index: Int, count: Int)] {
    Alignment(of: self).runs.map { ($0.old, $0.new, $0.count) }
  }
}

extension [Int] {
  /// The ranges of neighbours among ascending numbers.
  package var asRanges: [Range<Int>] {
    reduce(into: []) { ranges, number in
      if let last = ranges.last, last.upperBound == number {
        ranges[ranges.count - 1] = last.lowerBound..<number + 1
      } else {
        ranges.append(number..<number + 1)
      }
    }
  }
}
