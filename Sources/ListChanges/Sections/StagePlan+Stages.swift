/// The stages in their order, as ``SectionedChanges/stages()`` describes them.
extension StagePlan {
  func sectionStage() -> Changes {
    Changes(
      oldItemCounts: changes.oldItemCounts, newItemCounts: countsBeforeItems,
      sections: sectionChanges,
      removed: changes.removed.filter {
        removedSections.contains($0.from.section) && !emptiedSections.contains($0.from.section)
      },
      moved: [],
      inserted: Self.ranked(
        changes.inserted.filter { insertedSections.contains($0.to.section) }, by: \.to
      ).map {
        .init(
          to: ItemPath(section: newToBetween[$0.to.section], item: $1), element: $0.element)
      },
      updated: [])
  }

  /// All changes of sections except the last removals and the updates.
  private var sectionChanges: ChangeSet<Header> {
    let sections = changes.sections
    return ChangeSet(
      uncheckedOldCount: sections.oldCount, newCount: countBetween,
      removed: sections.removed.filter { !emptiedSections.contains($0.from) },
      moved: sections.moved.map { .init(from: $0.from, to: newToBetween[$0.to], id: $0.id) },
      inserted: sections.inserted.map { .init(to: newToBetween[$0.to], element: $0.element) })
  }

  func itemStage() -> Changes {
    Changes(
      oldItemCounts: countsBeforeItems, newItemCounts: countsAfterItems,
      sections: ChangeSet(uncheckedOldCount: countBetween, newCount: countBetween),
      removed: changes.removed.filter { !removedSections.contains($0.from.section) }
        .map { .init(from: between(old: $0.from), element: $0.element) }
        .sorted { $0.from < $1.from },
      moved: changes.moved
        .map { .init(from: between(old: $0.from), to: between(new: $0.to), id: $0.id) }
        .sorted { $0.from < $1.from },
      inserted: changes.inserted.filter { !insertedSections.contains($0.to.section) }
        .map { .init(to: between(new: $0.to), element: $0.element) },
      updated: [])
  }

  func clearingStage() -> Changes {
    Changes(
      oldItemCounts: countsAfterItems, newItemCounts: changes.newItemCounts,
      sections: ChangeSet(
        uncheckedOldCount: countBetween, newCount: changes.sections.newCount,
        removed: emptied.map { .init(from: between(oldSection: $0.from), element: $0.element) }),
      removed: Self.ranked(
        changes.removed.filter { emptiedSections.contains($0.from.section) }, by: \.from
      ).map {
        .init(
          from: ItemPath(section: between(oldSection: $0.from.section), item: $1),
          element: $0.element)
      },
      moved: [], inserted: [], updated: [])
  }

  func contentStage() -> Changes {
    let sections = changes.sections
    return Changes(
      oldItemCounts: changes.newItemCounts, newItemCounts: changes.newItemCounts,
      sections: ChangeSet(
        uncheckedOldCount: sections.newCount, newCount: sections.newCount,
        updated: sections.updated.map { .init(from: $0.to, to: $0.to, old: $0.old, new: $0.new) }),
      removed: [], moved: [], inserted: [],
      updated: changes.updated.map { .init(from: $0.to, to: $0.to, old: $0.old, new: $0.new) })
  }

  /// The changes, ascending by path, each with its rank in its section.
  private static func ranked<Change>(
    _ ascending: [Change], by path: (Change) -> ItemPath
  ) -> [(change: Change, rank: Int)] {
    var (section, rank) = (-1, 0)
    return ascending.map { change in
      let current = path(change).section
      rank = current == section ? rank + 1 : 0
      section = current
      return (change, rank)
    }
  }
}
