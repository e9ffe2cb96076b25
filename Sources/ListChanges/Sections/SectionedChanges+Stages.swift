extension SectionedChanges {
  /// One batch of updates of a view with sections, valid for a collection view.
  ///
  /// Deletes, reloads and sources of moves are places before the stage, inserts and targets of
  /// moves places after it. No operation names an item in a section that the same stage deletes,
  /// inserts, moves or reloads.
  public struct Stage: Equatable {
    /// All changes of the stage, including the items of inserted and deleted sections: the data
    /// after the stage is `data.applying(stage.changes)`.
    public let changes: SectionedChanges

    /// Indexes before the stage, ascending.
    public var deletedSections: [Int] { changes.sections.removed.map(\.from) }
    /// Indexes after the stage, ascending.
    public var insertedSections: [Int] { changes.sections.inserted.map(\.to) }
    public var movedSections: [ChangeSet<Header>.Move] { changes.sections.moved }
    /// Ascending; a stage with reloads changes no places. The items of these sections are reloaded
    /// too.
    public var reloadedSections: [Int] { changes.sections.updated.map(\.from) }

    /// Places before the stage, ascending, without the items of deleted sections.
    public var deletedItems: [ItemPath] {
      Self.outside(deletedSections, changes.removed.map(\.from))
    }
    /// Places after the stage, ascending, without the items of inserted sections.
    public var insertedItems: [ItemPath] {
      Self.outside(insertedSections, changes.inserted.map(\.to))
    }
    public var movedItems: [ItemMove] { changes.moved }
    /// Ascending, without the items of reloaded sections; a stage with reloads changes no places.
    public var reloadedItems: [ItemPath] {
      Self.outside(reloadedSections, changes.updated.map(\.from))
    }

    private static func outside(_ sections: [Int], _ paths: [ItemPath]) -> [ItemPath] {
      if sections.isEmpty { return paths }
      let sections = Set(sections)
      return paths.filter { !sections.contains($0.section) }
    }
  }

  /// These changes as up to four successive batches that lead to the new list, and delete, insert
  /// and move each item and section at most once:
  ///
  /// 1. Move sections; insert sections with their new items; delete sections, except those from
  ///    which items move away.
  /// 2. Delete, move and insert items; the sections of all moves exist.
  /// 3. Delete the sections from which items moved away.
  /// 4. Reload sections and items, at their places in the new list.
  ///
  /// Empty stages are omitted. Before the last stage, updated sections and items have their old
  /// content, like the cells that show them.
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
