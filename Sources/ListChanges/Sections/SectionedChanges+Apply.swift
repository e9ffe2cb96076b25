extension Collection {
  /// Makes the new list of sections from this, the old one.
  ///
  /// - Throws: `SectionedChangesError` when this is not the list that the changes start from, as
  ///   far as they can tell.
  /// - Complexity: O(n + d log d) for n items and sections, and d changes as ``SectionedChanges``
  ///   counts them, the items of sections that move included.
  public func applying<Header, Item>(
    _ changes: SectionedChanges<Header, Item>
  ) throws(SectionedChangesError<Header.ID, Item.ID>) -> [ListSection<Header, Item>]
  where Element == ListSection<Header, Item>, Header.ID: Sendable, Item.ID: Sendable {
    let headers: [Header]
    do throws(ListChangesError<Header.ID>) {
      headers = try map(\.header).applying(changes.sections)
    } catch {
      throw SectionedChangesError(ofSections: error)
    }
    let lists = map(\.items)
    try Self.check(lists, against: changes)
    let new = SectionBounds(itemCounts: changes.newItemCounts)
    let items: [Item]
    do throws(ListChangesError<Item.ID>) {
      items = try lists.flatMap(\.self).applying(changes.flat)
    } catch {
      throw SectionedChangesError(
        ofItems: error, old: SectionBounds(itemCounts: changes.oldItemCounts), new: new)
    }
    return headers.enumerated().map { section, header in
      ListSection(header, items: Array(items[new.range(of: section)]))
    }
  }

  /// Compares the counts and the moved ids with what is there: what moves here need not move in
  /// the flat list, which is checked when it is changed.
  private static func check<Header, Item>(
    _ lists: [[Item]], against changes: SectionedChanges<Header, Item>
  ) throws(SectionedChangesError<Header.ID, Item.ID>)
  where Header.ID: Sendable, Item.ID: Sendable {
    for (section, expected) in changes.oldItemCounts.enumerated()
    where lists[section].count != expected {
      throw .itemCountMismatch(section: section, expected: expected, found: lists[section].count)
    }
    for move in changes.moved {
      if let id = move.id, lists[move.from.section][move.from.item].id != id {
        throw .itemMismatch(at: move.from, expected: id)
      }
    }
  }
}
