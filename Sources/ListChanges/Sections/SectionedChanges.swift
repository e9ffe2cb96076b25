/// All changes from one list of sections with items (the old one) to another (the new one).
///
/// A section's id is unique in each list, and an item's id in all sections of each list together,
/// so that an item is the same one wherever it went.
///
/// Every `from` is a place in the old list, every `to` one in the new list. Sections change as the
/// items of a flat list do. An item of a section that moves does not move itself:
///
/// - it is `moved` when its section is another one than before, or when it is outside of the
///   longest chain of items that stay in their section and keep their order (the choice that
///   ``Swift/Collection/changes(to:isCancelled:)`` makes);
/// - it is `removed` when its id is gone from all sections, `inserted` when it is new to all of
///   them, those of removed and inserted sections included.
///
/// So the changes are complete: they can be inverted and composed without the lists. What a view is
/// told, in which order, is in ``stages()``.
public struct SectionedChanges<Header: Identifiable & Equatable, Item: Identifiable & Equatable> {
  public struct ItemRemoval: Equatable {
    public let from: ItemPath
    public let element: Item
  }

  /// Two moves are equal when their places are; the id is a note for readers.
  public struct ItemMove: Equatable {
    public let from: ItemPath
    public let to: ItemPath
    /// The id of the item, or nil where the move came out of a composition in which no change named
    /// the item; it is then the id of the item at `from` in the old list.
    public let id: Item.ID?

    public static func == (a: Self, b: Self) -> Bool { a.from == b.from && a.to == b.to }
  }

  public struct ItemInsertion: Equatable {
    public let to: ItemPath
    public let element: Item
  }

  /// An item that is in both lists with unequal contents, wherever it stands.
  public struct ItemUpdate: Equatable {
    public let from: ItemPath
    public let to: ItemPath
    public let old: Item
    public let new: Item
  }

  /// The number of items in each section of the old list.
  public let oldItemCounts: [Int]
  /// The number of items in each section of the new list.
  public let newItemCounts: [Int]
  /// The changes of the headers as a list.
  public let sections: ChangeSet<Header>
  /// Ascending by `from`.
  public let removed: [ItemRemoval]
  /// Ascending by `from`.
  public let moved: [ItemMove]
  /// Ascending by `to`.
  public let inserted: [ItemInsertion]
  /// Ascending by `to`.
  public let updated: [ItemUpdate]

  /// The number of single changes; 0 exactly when the two lists are equal.
  public var count: Int {
    sections.count + removed.count + moved.count + inserted.count + updated.count
  }

  public var isEmpty: Bool { count == 0 }
}

extension SectionedChanges: Equatable {}
extension SectionedChanges: Sendable
where Header: Sendable, Header.ID: Sendable, Item: Sendable, Item.ID: Sendable {}
extension SectionedChanges.ItemRemoval: Sendable where Item: Sendable {}
extension SectionedChanges.ItemMove: Sendable where Item.ID: Sendable {}
extension SectionedChanges.ItemInsertion: Sendable where Item: Sendable {}
extension SectionedChanges.ItemUpdate: Sendable where Item: Sendable {}
