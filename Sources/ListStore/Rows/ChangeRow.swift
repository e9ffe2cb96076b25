/// The kinds of changes, as `StepsBlock` numbers them.
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
  /// The index before the change; nil for an insertion.
  package let from: Int?
  /// The index after the change; nil for a removal.
  package let to: Int?
  package let oldContent: ContentKey?
  package let newContent: ContentKey?
}

extension ChangeRow {
  /// The number of the row, with its list.
  package var change: Int64 { list.base | sequence }
  package var introducesItem: Bool { item.rawValue == change }
  package var writesContent: Bool { newContent?.rawValue == change }
}
