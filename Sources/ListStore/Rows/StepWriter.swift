import ListChanges
import ListModel

/// Makes the rows of the log, giving out their numbers.
package struct StepWriter {
  /// Stores a row, with the id of the item that it introduces and the content that it writes.
  package typealias Insert = (_ row: ChangeRow, _ id: ItemID?, _ content: Content?) throws -> Void

  private let list: ListKey
  private let firstChange: Int64
  /// The sequence of the row that is written next.
  package private(set) var nextSequence: Int64
  private let insert: Insert

  /// - Parameter firstChange: the sequence of the first row.
  package init(list: ListKey, firstChange: Int64, insert: @escaping Insert) {
    self.list = list
    self.firstChange = firstChange
    nextSequence = firstChange
    self.insert = insert
  }

  /// Writes the row of an item that the list never held.
  package mutating func introduce(_ item: Item, at index: Int) throws -> StoredItem {
    try write(.insert, item: nil, to: index, id: item.id, content: item.content).storedItem
  }

  /// Writes one row a changed item (an item that moved and changed has one), and returns the step
  /// as it is stored.
  ///
  /// - Complexity: O(d log d) for d changes, and one question each for the keys of all ids and of
  ///   all contents.
  package mutating func write(
    _ step: ChangeSet<Item>, to order: inout HeadOrder, asking reader: any ListReader
  ) throws -> ChangeSet<StoredItem> {
    var known = try KnownKeys(of: step, in: list, isFirst: firstChange == 1, &order, reader)
    let removed = try step.removed.enumerated().map { number, removal in
      let old = known.removed[number]
      try write(.remove, item: old.id, from: removal.from, oldContent: old.content)
      return ChangeSet<StoredItem>.Removal(from: removal.from, element: old)
    }
    let updates = Dictionary(uniqueKeysWithValues: zip(step.updated.map(\.from), 0...))
    var updated: [ChangeSet<StoredItem>.Update] = []
    let moved = try step.moved.enumerated().map { number, move in
      let old = known.moved[number]
      if let update = updates[move.from] {
        updated.append(try write(.move, step.updated[update], known.updated[update]))
      } else {
        try write(
          .move, item: old.id, from: move.from, to: move.to, oldContent: old.content,
          newContent: old.content)
      }
      return ChangeSet<StoredItem>.Move(from: move.from, to: move.to, id: old.id)
    }
    let inserted = try step.inserted.enumerated().map { number, insertion in
      let (item, content) = known.ofInserted(number)
      let row = try write(
        .insert, item: item, to: insertion.to, newContent: content,
        id: insertion.element.id, content: insertion.element.content)
      return ChangeSet<StoredItem>.Insertion(to: insertion.to, element: row.storedItem)
    }
    let movedIndexes = Set(step.moved.map(\.from))
    for (update, known) in zip(step.updated, known.updated)
    where !movedIndexes.contains(update.from) {
      updated.append(try write(.update, update, known))
    }
    return try ChangeSet(
      oldCount: step.oldCount, newCount: step.newCount, removed: removed, moved: moved,
      inserted: inserted, updated: updated.sorted { $0.to < $1.to })
  }

  private mutating func write(
    _ kind: ChangeKind, _ update: ChangeSet<Item>.Update,
    _ known: (old: StoredItem, newContent: ContentKey?)
  ) throws -> ChangeSet<StoredItem>.Update {
    let row = try write(
      kind, item: known.old.id, from: update.from, to: update.to, oldContent: known.old.content,
      newContent: known.newContent, content: update.new.content)
    return .init(from: update.from, to: update.to, old: known.old, new: row.storedItem)
  }

  /// - Parameters:
  ///   - item: nil where the row introduces it.
  ///   - newContent: nil where the row writes it, or there is none.
  @discardableResult
  private mutating func write(
    _ kind: ChangeKind, item: ItemKey?, from: Int? = nil, to: Int? = nil,
    oldContent: ContentKey? = nil, newContent: ContentKey? = nil, id: ItemID? = nil,
    content: Content? = nil
  ) throws -> ChangeRow {
    let own = kind == .remove ? nil : ContentKey(list, sequence: nextSequence)
    let row = ChangeRow(
      list: list, sequence: nextSequence, kind: kind,
      item: item ?? ItemKey(list, sequence: nextSequence), from: from, to: to,
      oldContent: oldContent, newContent: newContent ?? own)
    try insert(row, item == nil ? id : nil, newContent == nil ? content : nil)
    nextSequence += 1
    return row
  }
}

extension ChangeRow {
  /// The item as the row leaves it, which is in the list.
  fileprivate var storedItem: StoredItem {
    StoredItem(id: item, content: newContent ?? ContentKey(list, sequence: sequence))
  }
}

/// The keys that the texts of a step have already.
private struct KnownKeys {
  let removed: ArraySlice<StoredItem>
  let moved: [StoredItem]
  let updated: [(old: StoredItem, newContent: ContentKey?)]
  /// Of the inserted items; empty where the list never held an item.
  private let returning: [ItemKey?]
  /// Of the contents of those inserted items that have a key.
  private var returningContents: ArraySlice<ContentKey?>

  init(
    of step: ChangeSet<Item>, in list: ListKey, isFirst: Bool, _ order: inout HeadOrder,
    _ reader: any ListReader
  ) throws {
    let indexes = step.removed.map(\.from) + step.moved.map(\.from) + step.updated.map(\.from)
    let old = try order.items(at: indexes)
    let others = old.dropFirst(step.removed.count)
    let changed = others.dropFirst(step.moved.count)
    returning = isFirst ? [] : try reader.keys(of: step.inserted.map(\.element.id), in: list)
    let wanted =
      zip(changed, step.updated).map { ($0.id, $1.new.content) }
      + zip(returning, step.inserted).compactMap { key, insertion in
        key.map { ($0, insertion.element.content) }
      }
    let contents = try reader.contentKeys(of: wanted, in: list)
    removed = old.prefix(step.removed.count)
    moved = Array(others.prefix(step.moved.count))
    updated = zip(changed, contents).map { ($0, $1) }
    returningContents = contents.dropFirst(step.updated.count)
  }

  /// The keys that an inserted item and its content have already; asked in their order.
  mutating func ofInserted(_ number: Int) -> (ItemKey?, ContentKey?) {
    guard !returning.isEmpty, let item = returning[number] else { return (nil, nil) }
    return (item, returningContents.popFirst() ?? nil)
  }
}
