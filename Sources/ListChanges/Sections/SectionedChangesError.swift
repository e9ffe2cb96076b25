/// The errors of comparing lists of sections, and of applying their changes.
public enum SectionedChangesError<
  SectionID: Hashable & Sendable, ItemID: Hashable & Sendable
>: Error, Equatable {
  public typealias Side = ListChangesError<ItemID>.Side

  // When lists are compared.

  /// Thrown when a list holds a section twice; both indexes are in that list.
  case duplicateSection(SectionID, first: Int, second: Int, side: Side)
  /// Thrown when a list holds an item twice, in one section or in two.
  case duplicateItem(ItemID, first: ItemPath, second: ItemPath, side: Side)

  // When changes are applied.

  /// Thrown when the list has another number of sections than the changes start from.
  case sectionCountMismatch(expected: Int, found: Int)
  /// Thrown when a section has another number of items than the changes start from.
  case itemCountMismatch(section: Int, expected: Int, found: Int)
  /// Thrown when the section at an index is not the one that the changes remove, move or update.
  case sectionMismatch(index: Int, expected: SectionID)
  /// Thrown when the item at a place is not the one that the changes remove, move or update.
  case itemMismatch(at: ItemPath, expected: ItemID)
}

extension SectionedChangesError {
  /// Converts an error of the list of headers.
  init(ofSections error: ListChangesError<SectionID>) {
    switch error {
    case .duplicateID(let id, let first, let second, let side):
      self = .duplicateSection(id, first: first, second: second, side: side == .old ? .old : .new)
    case .countMismatch(let expected, let found):
      self = .sectionCountMismatch(expected: expected, found: found)
    case .itemMismatch(let index, let id):
      self = .sectionMismatch(index: index, expected: id)
    case .cancelled, .invalid:
      preconditionFailure("nothing cancels, and neither comparing nor applying validates arrays")
    }
  }

  /// Converts an error of the flat list of all items.
  ///
  /// - Precondition: The number of items is right; it was compared section by section.
  init(ofItems error: ListChangesError<ItemID>, old: SectionBounds, new: SectionBounds) {
    switch error {
    case .duplicateID(let id, let first, let second, let side):
      let bounds = side == .old ? old : new
      self = .duplicateItem(
        id, first: bounds.path(at: first), second: bounds.path(at: second), side: side)
    case .itemMismatch(let index, let id):
      self = .itemMismatch(at: old.path(at: index), expected: id)
    case .cancelled, .countMismatch, .invalid:
      preconditionFailure("neither the count nor the arrays can be wrong here: \(error)")
    }
  }
}
