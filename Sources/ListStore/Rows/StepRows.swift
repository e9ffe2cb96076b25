import ListChanges
import ListModel

extension ChangeSet<Item> {
  /// Returns one row for each changed item, with the id if the row introduces the item, and the
  /// content if the row writes it. An item that moved and changed has one row.
  ///
  /// - Parameters:
  ///   - list: the list that the step belongs to.
  ///   - firstChange: the sequence of the first row.
  ///   - known: the keys that the items and contents have.
  /// - Complexity: O(d) for d changes.
  func rows(of list: ListKey, from firstChange: Int64, _ known: KnownKeys) -> [NewChange] {
    var known = known
    var rows: [NewChange] = []
    // If `item` is nil, the row introduces the item. If `newContent` is nil, the row writes the
    // content, or has none.
    func pass(
      _ kind: ChangeKind, item: ItemKey?, from: Int? = nil, to: Int? = nil,
      oldContent: ContentKey? = nil, newContent: ContentKey? = nil, id: ItemID? = nil,
      content: Content? = nil
    ) {
      let sequence = firstChange + Int64(rows.count)
      let own = kind == .remove ? nil : ContentKey(list, sequence: sequence)
      let row = ChangeRow(
        list: list, sequence: sequence, kind: kind,
        item: item ?? ItemKey(list, sequence: sequence), from: from, to: to,
        oldContent: oldContent, newContent: newContent ?? own)
      rows.append(
        NewChange(
          row: row, id: item == nil ? id : nil, content: newContent == nil ? content : nil))
    }
    for (removal, old) in zip(removed, known.removed) {
      pass(.remove, item: old.id, from: removal.from, oldContent: old.content)
    }
    var updates = Dictionary(uniqueKeysWithValues: zip(updated.map(\.from), 0...))
    for (move, old) in zip(moved, known.moved) {
      let update = updates.removeValue(forKey: move.from)
      pass(
        .move, item: old.id, from: move.from, to: move.to, oldContent: old.content,
        newContent: update == nil ? old.content : nil,
        content: update.map { updated[$0].new.content })
    }
    for insertion in inserted {
      let (item, content) = known.nextInserted()
      pass(
        .insert, item: item, to: insertion.to, newContent: content, id: insertion.element.id,
        content: insertion.element.content)
    }
    for (number, update) in updated.enumerated() where updates[update.from] != nil {
      let old = known.updated[number]
      pass(
        .update, item: old.id, from: update.from, to: update.to, oldContent: old.content,
        content: update.new.content)
    }
    return rows
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
  /// The keys of the inserted items; nil for an item that was never in the list.
  private var returning: ArraySlice<ItemKey?>
  /// Whether each inserted item has the content with which it came first. Then this is not written
  /// again: the items of a list of bare strings never have another.
  private var hasFirstContent: ArraySlice<Bool>

  init(
    of step: ChangeSet<Item>, in list: ListKey, _ order: inout HeadOrder, _ reader: ListReader,
    idParts: inout [IDPart]
  ) throws {
    let indexes = step.removed.map(\.from) + step.moved.map(\.from) + step.updated.map(\.from)
    let old = try order.items(at: indexes)
    removed = old.prefix(step.removed.count)
    moved = old[removed.endIndex...].prefix(step.moved.count)
    updated = Array(old[moved.endIndex...])
    let keys = try reader.keys(of: step.inserted.map(\.element), in: list, parts: &idParts)
    var first = Array(repeating: false, count: keys.count)
    let wanted = keys.enumerated().compactMap { position, key in
      key.map {
        WantedText(
          item: $0.sequence, content: $0.sequence, idPosition: nil, contentPosition: position)
      }
    }
    try reader.texts(wanted, of: list) { position, bytes in
      first[position] = bytes == step.inserted[position].element.content.bytes
    }
    (returning, hasFirstContent) = (keys[...], first[...])
  }

  /// Returns the existing keys of the next inserted item and of its content.
  mutating func nextInserted() -> (ItemKey?, ContentKey?) {
    let isFirst = hasFirstContent.popFirst() ?? false
    guard let item = returning.popFirst() ?? nil else { return (nil, nil) }
    return (item, isFirst ? ContentKey(rawValue: item.rawValue) : nil)
  }
}
