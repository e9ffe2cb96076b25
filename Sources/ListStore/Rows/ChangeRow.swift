/// The kinds of change rows, as numbered in the schema.
package enum ChangeKind: Int64, Sendable {
  case update = 0
  case insert = 1
  case move = 2
  case remove = 3
}

/// A change of one item as stored. The row's number is also the key of the item that the row
/// introduces, and of the content that it writes.
package struct ChangeRow: Sendable {
  package let list: ListKey
  /// The row's number within the list.
  package let sequence: Int64
  package let kind: ChangeKind
  package let item: ItemKey
  /// The index before; nil for an insertion.
  package let from: Int?
  /// The index after; nil for a removal.
  package let to: Int?
  package let oldContent: ContentKey?
  package let newContent: ContentKey?
}

/// The columns omit keys that equal the row's number, and an index that stays the same.
extension ChangeRow {
  /// Makes a row from the values of its columns.
  ///
  /// - Parameters:
  ///   - change: the number of the row, with its list.
  ///   - kind: the raw value of a ``ChangeKind``.
  ///   - item: the item; nil if the row introduces it.
  ///   - from: the old index; also nil for an update that does not move the item.
  ///   - newContent: the new content; nil if the row writes it, or there is none.
  /// - Throws: `StoreError.corrupt` if the kind does not exist, or the row names one that is not
  ///   before it.
  package init(
    of list: ListKey, change: Int64, kind: Int64, item: Int64?, from: Int64?, to: Int64?,
    oldContent: Int64?, newContent: Int64?
  ) throws(StoreError) {
    guard let kind = ChangeKind(rawValue: kind) else {
      throw .corrupt(reason: "a change is of a kind that does not exist")
    }
    guard [item, oldContent, newContent].allSatisfy({ $0.map { $0 < change } ?? true }) else {
      throw .corrupt(reason: "a change names what comes later")
    }
    self.list = list
    self.kind = kind
    sequence = change & ListKey.largestSequence
    self.item = ItemKey(list, sequence: item ?? sequence)
    self.to = to.map { Int($0) }
    self.from = from.map { Int($0) } ?? (kind == .update ? self.to : nil)
    self.oldContent = oldContent.map { ContentKey(list, sequence: $0) }
    let own = kind == .remove ? nil : sequence
    self.newContent = (newContent ?? own).map { ContentKey(list, sequence: $0) }
  }

  /// The number of the row, with its list.
  package var change: Int64 { list.base | sequence }
  package var introducesItem: Bool { item.rawValue == change }
  package var writesContent: Bool { newContent?.rawValue == change }

  package var itemColumn: Int64? { introducesItem ? nil : item.sequence }
  package var oldIndexColumn: Int64? {
    kind == .update && from == to ? nil : from.map { Int64($0) }
  }
  package var newIndexColumn: Int64? { to.map { Int64($0) } }
  package var oldContentColumn: Int64? { oldContent?.sequence }
  package var newContentColumn: Int64? { writesContent ? nil : newContent?.sequence }
}
