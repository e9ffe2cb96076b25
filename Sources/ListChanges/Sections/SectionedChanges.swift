/// All changes from one list of sections with items (the old one) to another (the new one).
///
/// Section ids are unique in each list. Item ids are unique in all sections of a list together, so
/// an item keeps its identity when its section changes.
///
/// Every `from` is a place in the old list, every `to` one in the new list. Sections change like
/// the items of a flat list. An item of a moved section does not move itself:
///
/// - It is `moved` when its section changes, or when it is outside of the longest chain of items
///   that stay in their section and keep their order (the choice of
///   `changes(to:isCancelled:)`).
/// - It is `removed` when its id is gone from all sections, and `inserted` when it is new to all of
///   them, including the items of removed and inserted sections.
///
/// So the changes are complete: they can be inverted and composed without the lists. ``stages()``
/// makes batches for a view.
public struct SectionedChanges<Header: Identifiable & Equatable, Item: Identifiable & Equatable> {
  public typealias ItemRemoval = ElementRemoval<ItemPath, Item>
  public typealias ItemMove = ElementMove<ItemPath, Item.ID>
  public typealias ItemInsertion = ElementInsertion<ItemPath, Item>
  public typealias ItemUpdate = ElementUpdate<ItemPath, Item>

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

  /// The number of single changes; 0 if and only if the two lists are equal.
  public var count: Int {
    sections.count + removed.count + moved.count + inserted.count + updated.count
  }

  public var isEmpty: Bool { count == 0 }
}

extension SectionedChanges: Equatable {}
extension SectionedChanges: Sendable
where Header: Sendable, Header.ID: Sendable, Item: Sendable, Item.ID: Sendable {}
