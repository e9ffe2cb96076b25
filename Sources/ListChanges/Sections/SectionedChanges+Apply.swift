extension Collection {
  /// Makes the new list of sections from this, the old one.
  ///
  /// - Throws: `SectionedChangesError` when the changes show that they start from another list.
  /// - Complexity: O(n + d log d) for n items and sections, and d changes, including the items of
  ///   moved sections.
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

  /// Checks the counts and the moved ids. Moves between sections need not be moves in the flat
  /// list, whose changes are checked when they are applied.
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
