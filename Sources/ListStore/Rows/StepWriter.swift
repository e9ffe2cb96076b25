import ListChanges
import ListModel

/// Makes the rows of the change log, and assigns their numbers.
package struct StepWriter {
  /// Stores a row, with the id of the item that it introduces, and the content that it writes.
  package typealias Insert = (_ row: ChangeRow, _ id: ItemID?, _ content: Content?) throws -> Void

  private let list: ListKey
  private let firstChange: Int64
  /// The sequence of the next row.
  package private(set) var nextSequence: Int64
  private var entries: [IDEntry] = []
  /// Those of the first step of a list, whose rows introduce all its items.
  private var firstEntries: Meanwhile<[IDEntry]>?
  private let insert: Insert

  /// - Parameter firstChange: the sequence of the first row.
  package init(list: ListKey, firstChange: Int64, insert: @escaping Insert) {
    self.list = list
    self.firstChange = firstChange
    nextSequence = firstChange
    self.insert = insert
  }

  /// The ids of the items that the rows introduce, in ascending order.
  package var introduced: [IDEntry] { firstEntries?.value ?? entries.sorted() }

  /// Writes the row of an item that was never in the list.
  package mutating func introduce(_ item: Item, at index: Int) throws -> StoredItem {
    try write(.insert, item: nil, to: index, id: item.id, content: item.content).storedItem
  }

  /// Writes one row for each changed item, also if it moved and changed.
  ///
  /// - Returns: the step as stored.
  /// - Complexity: O(d log d) for d changes, and one query each for the keys of all ids and of
  ///   all contents.
  package mutating func write(
    _ step: ChangeSet<Item>, to order: inout HeadOrder, asking reader: ListReader
  ) throws -> ChangeSet<StoredItem> {
    if firstChange == 1 {
      let (list, inserted) = (list, step.inserted)
      firstEntries = Meanwhile {
        zip(1..., inserted).map { IDEntry($1.element.id, item: ItemKey(list, sequence: $0)) }
          .sorted()
      }
    }
    var known = try KnownKeys(of: step, in: list, isFirst: firstChange == 1, &order, reader)
    var stored = StepBuilder(counts: ChangeCounts(step))
    for (removal, old) in zip(step.removed, known.removed) {
      try stored.add(write(.remove, item: old.id, from: removal.from, oldContent: old.content))
    }
    var updates = Dictionary(uniqueKeysWithValues: zip(step.updated.map(\.from), 0...))
    for (move, old) in zip(step.moved, known.moved) {
      let update = updates.removeValue(forKey: move.from)
      let newContent = if let update { known.newContents[update] } else { ContentKey?(old.content) }
      try stored.add(
        write(
          .move, item: old.id, from: move.from, to: move.to, oldContent: old.content,
          newContent: newContent, content: update.map { step.updated[$0].new.content }))
    }
    for insertion in step.inserted {
      let (item, content) = known.nextInserted()
      try stored.add(
        write(
          .insert, item: item, to: insertion.to, newContent: content,
          id: insertion.element.id, content: insertion.element.content))
    }
    for (number, update) in step.updated.enumerated() where updates[update.from] != nil {
      let old = known.updated[number]
      try stored.add(
        write(
          .update, item: old.id, from: update.from, to: update.to, oldContent: old.content,
          newContent: known.newContents[number], content: update.new.content))
    }
    return try stored.changeSet(oldCount: step.oldCount, newCount: step.newCount)
  }

  /// - Parameters:
  ///   - item: nil if the row introduces it.
  ///   - newContent: nil if the row writes it, or there is none.
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
    if firstEntries == nil, item == nil, let id { entries.append(IDEntry(id, item: row.item)) }
    nextSequence += 1
    return row
  }
}

extension ChangeRow {
  /// The item after the change, of a row that does not remove it.
  fileprivate var storedItem: StoredItem {
    StoredItem(id: item, content: newContent ?? ContentKey(list, sequence: sequence))
  }
}

/// The existing keys of the texts of a step.
private struct KnownKeys {
  let removed: ArraySlice<StoredItem>
  let moved: ArraySlice<StoredItem>
  /// The updated items before the step.
  let updated: [StoredItem]
  /// Of the updated items.
  let newContents: [ContentKey?]
  /// Of the inserted items; empty if the list never held an item.
  private var returning: ArraySlice<ItemKey?>
  /// Of the contents of the inserted items that have a key.
  private var returningContents: ArraySlice<ContentKey?>

  init(
    of step: ChangeSet<Item>, in list: ListKey, isFirst: Bool, _ order: inout HeadOrder,
    _ reader: ListReader
  ) throws {
    let indexes = step.removed.map(\.from) + step.moved.map(\.from) + step.updated.map(\.from)
    let old = try order.items(at: indexes)
    removed = old.prefix(step.removed.count)
    moved = old[removed.endIndex...].prefix(step.moved.count)
    updated = Array(old[moved.endIndex...])
    let updates = zip(updated, step.updated).map { (item: $0.id, content: $1.new.content) }
    var keys: [ItemKey?] = []
    if !isFirst {
      try reader.prepare([.contentKeys(updates)], of: list)
      keys = try reader.keys(of: step.inserted.map(\.element), in: list)
    }
    let wanted =
      updates
      + zip(keys, step.inserted).compactMap { key, insertion in
        key.map { (item: $0, content: insertion.element.content) }
      }
    let contents = try reader.contentKeys(of: wanted, in: list)
    newContents = Array(contents.prefix(updated.count))
    (returning, returningContents) = (keys[...], contents.dropFirst(updated.count))
  }

  /// The existing keys of the next inserted item and of its content.
  mutating func nextInserted() -> (ItemKey?, ContentKey?) {
    guard let item = returning.popFirst() ?? nil else { return (nil, nil) }
    return (item, returningContents.popFirst() ?? nil)
  }
}
