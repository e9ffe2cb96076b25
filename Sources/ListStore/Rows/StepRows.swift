import ListChanges
import ListModel

/// The rows of a step in the change log, with all keys known.
struct StepRows: Sendable {
  let list: ListKey
  /// The sequence of the first row.
  let firstChange: Int64
  let step: ChangeSet<Item>
  let known: KnownKeys

  /// Passes one row for each changed item to a receiver, with the id if the row introduces the
  /// item, and the content if the row writes it. An item that moved and changed has one row.
  ///
  /// - Complexity: O(d) for d changes.
  func visit(_ receive: (ChangeRow, ItemID?, Content?) throws -> Void) rethrows {
    var known = known
    var sequence = firstChange
    // If `item` is nil, the row introduces the item. If `newContent` is nil, the row writes the
    // content, or has none.
    func pass(
      _ kind: ChangeKind, item: ItemKey?, from: Int? = nil, to: Int? = nil,
      oldContent: ContentKey? = nil, newContent: ContentKey? = nil, id: ItemID? = nil,
      content: Content? = nil
    ) throws {
      let own = kind == .remove ? nil : ContentKey(list, sequence: sequence)
      let row = ChangeRow(
        list: list, sequence: sequence, kind: kind,
        item: item ?? ItemKey(list, sequence: sequence), from: from, to: to,
        oldContent: oldContent, newContent: newContent ?? own)
      try receive(row, item == nil ? id : nil, newContent == nil ? content : nil)
      sequence += 1
    }
    for (removal, old) in zip(step.removed, known.removed) {
      try pass(.remove, item: old.id, from: removal.from, oldContent: old.content)
    }
    var updates = Dictionary(uniqueKeysWithValues: zip(step.updated.map(\.from), 0...))
    for (move, old) in zip(step.moved, known.moved) {
      let update = updates.removeValue(forKey: move.from)
      let newContent = if let update { known.newContents[update] } else { ContentKey?(old.content) }
      try pass(
        .move, item: old.id, from: move.from, to: move.to, oldContent: old.content,
        newContent: newContent, content: update.map { step.updated[$0].new.content })
    }
    for insertion in step.inserted {
      let (item, content) = known.nextInserted()
      try pass(
        .insert, item: item, to: insertion.to, newContent: content,
        id: insertion.element.id, content: insertion.element.content)
    }
    for (number, update) in step.updated.enumerated() where updates[update.from] != nil {
      let old = known.updated[number]
      try pass(
        .update, item: old.id, from: update.from, to: update.to, oldContent: old.content,
        newContent: known.newContents[number], content: update.new.content)
    }
  }
}

extension ChangeRow {
  /// Makes the row that inserts an item that was never in the list.
  init(introducing sequence: Int64, at index: Int, of list: ListKey) {
    self.init(
      list: list, sequence: sequence, kind: .insert, item: ItemKey(list, sequence: sequence),
      from: nil, to: index, oldContent: nil, newContent: ContentKey(list, sequence: sequence))
  }
}

/// The keys that the items and contents of a step already have.
struct KnownKeys: Sendable {
  let removed: ArraySlice<StoredItem>
  let moved: ArraySlice<StoredItem>
  /// The updated items before the step.
  let updated: [StoredItem]
  /// The keys of the new contents of the updated items; nil for a content without a key.
  let newContents: [ContentKey?]
  /// The keys of the inserted items; nil for an item that was never in the list.
  private var returning: ArraySlice<ItemKey?>
  /// The keys of the contents of those inserted items that have a key themselves; nil for a content
  /// without a key.
  private var returningContents: ArraySlice<ContentKey?>

  init(
    of step: ChangeSet<Item>, in list: ListKey, _ order: inout HeadOrder, _ reader: ListReader,
    idParts: inout [IDPart]
  ) throws {
    let indexes = step.removed.map(\.from) + step.moved.map(\.from) + step.updated.map(\.from)
    let old = try order.items(at: indexes)
    removed = old.prefix(step.removed.count)
    moved = old[removed.endIndex...].prefix(step.moved.count)
    updated = Array(old[moved.endIndex...])
    let updates = zip(updated, step.updated).map { (item: $0.id, content: $1.new.content) }
    try reader.prepare([.contentKeys(updates)], of: list)
    let keys = try reader.keys(of: step.inserted.map(\.element), in: list, parts: &idParts)
    let wanted =
      updates
      + zip(keys, step.inserted).compactMap { key, insertion in
        key.map { (item: $0, content: insertion.element.content) }
      }
    let contents = try reader.contentKeys(of: wanted, in: list)
    newContents = Array(contents.prefix(updated.count))
    (returning, returningContents) = (keys[...], contents.dropFirst(updated.count))
  }

  /// Returns the existing keys of the next inserted item and of its content.
  mutating func nextInserted() -> (ItemKey?, ContentKey?) {
    guard let item = returning.popFirst() ?? nil else { return (nil, nil) }
    return (item, returningContents.popFirst() ?? nil)
  }
}
