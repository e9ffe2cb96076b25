extension Collection {
  /// Compares this list of sections with a newer one.
  ///
  /// - Throws: `SectionedChangesError.duplicateSection` or `.duplicateItem` when either list holds
  ///   a section or an item twice; items are unique over all sections.
  /// - Complexity: As comparing all items as one flat list, and O(r log r) for r matched runs, cut
  ///   where sections end.
  public func sectionedChanges<Header, Item>(
    to new: some Collection<ListSection<Header, Item>>
  ) throws(SectionedChangesError<Header.ID, Item.ID>) -> SectionedChanges<Header, Item>
  where Element == ListSection<Header, Item>, Header.ID: Sendable, Item.ID: Sendable {
    let sections: ChangeSet<Header>
    do throws(ListChangesError<Header.ID>) {
      sections = try map(\.header).changes(to: new.map(\.header))
    } catch {
      throw SectionedChangesError(ofSections: error)
    }
    let (oldCounts, newCounts) = (map(\.items.count), new.map(\.items.count))
    let oldItems = flatMap(\.items)
    let items: ChangeSet<Item>
    do throws(ListChangesError<Item.ID>) {
      items = try oldItems.changes(to: new.flatMap(\.items))
    } catch {
      throw SectionedChangesError(
        ofItems: error, old: SectionBounds(itemCounts: oldCounts),
        new: SectionBounds(itemCounts: newCounts))
    }
    return SectionedChanges(
      sections: sections, items: items, oldItemCounts: oldCounts, newItemCounts: newCounts
    ) { from, _ in oldItems[from].id }
  }
}
