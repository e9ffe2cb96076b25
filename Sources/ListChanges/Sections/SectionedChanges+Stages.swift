extension SectionedChanges {
  /// One batch of updates of a view with sections: changes that never meet, so that each index and
  /// path means what a collection view takes it for.
  ///
  /// Old-side places (deletes, reloads, where a move starts) are those before the stage, new-side
  /// places (inserts, where a move ends) those after it. No operation names an item in a section
  /// that the same stage deletes, inserts, moves or reloads.
  public struct Stage: Equatable {
    /// All that happens in the stage, items of inserted and deleted sections included: the data
    /// after it is `data.applying(stage.changes)` of the data before it.
    public let changes: SectionedChanges

    /// Indexes before the stage, ascending.
    public var deletedSections: [Int] { changes.sections.removed.map(\.from) }
    /// Indexes after the stage, ascending.
    public var insertedSections: [Int] { changes.sections.inserted.map(\.to) }
    public var movedSections: [ChangeSet<Header>.Move] { changes.sections.moved }
    /// Ascending; a stage that reloads changes no places. The items of these sections are shown
    /// anew too.
    public var reloadedSections: [Int] { changes.sections.updated.map(\.from) }

    /// Places before the stage, ascending; without the items of deleted sections.
    public var deletedItems: [ItemPath] {
      Self.outside(deletedSections, changes.removed.map(\.from))
    }
    /// Places after the stage, ascending; without the items of inserted sections.
    public var insertedItems: [ItemPath] {
      Self.outside(insertedSections, changes.inserted.map(\.to))
    }
    public var movedItems: [ItemMove] { changes.moved }
    /// Ascending; a stage that reloads changes no places. Without the items of reloaded sections.
    public var reloadedItems: [ItemPath] {
      Self.outside(reloadedSections, changes.updated.map(\.from))
    }

    private static func outside(_ sections: [Int], _ paths: [ItemPath]) -> [ItemPath] {
      if sections.isEmpty { return paths }
      let sections = Set(sections)
      return paths.filter { !sections.contains($0.section) }
    }
  }

  /// These changes as up to four batches, one after the other, that together delete, insert and
  /// move each item and section once at most and end in the new list:
  ///
  /// 1. sections move and appear, with those of their items that are new, and disappear, unless
  ///    items move out of them;
  /// 2. items are deleted, moved and inserted; all sections that moves lead from and to are there;
  /// 3. sections disappear that items had to move out of;
  /// 4. sections and items are reloaded, at their places in the new list.
  ///
  /// A stage in which nothing happens is left out. Up to the last stage updated sections and items
  /// have their old content, as the cells that show them do.
  ///
  /// - Complexity: O(s + d log d) for s sections and d changes.
  public func stages() -> [Stage] {
    let plan = StagePlan(self)
    return [plan.sectionStage(), plan.itemStage(), plan.clearingStage(), plan.contentStage()]
      .filter { !$0.isEmpty }.map { Stage(changes: $0) }
  }
}

extension SectionedChanges.Stage: Sendable
where Header: Sendable, Header.ID: Sendable, Item: Sendable, Item.ID: Sendable {}
