public import ListChanges

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension CollectionViewBatch {
  /// Makes the batch of one section's items.
  public init(_ updates: BatchUpdates, inSection section: Int = 0) {
    let path = { Path(section: section, item: $0) }
    deleted = updates.deleted.map(path)
    inserted = updates.inserted.map(path)
    moved = updates.moved.map { Move(from: path($0.from), to: path($0.to)) }
    reloaded = updates.reloaded.map(path)
  }

  /// Makes a batch of what a view would be told in index paths.
  public init(_ updates: IndexPathUpdates) {
    deleted = updates.deleted.map(Path.init)
    inserted = updates.inserted.map(Path.init)
    moved = updates.moved.map { Move(from: Path($0.from), to: Path($0.to)) }
    reloaded = updates.reloaded.map(Path.init)
  }

  public init(_ update: ViewUpdate) {
    deleted = update.deletions.map(Path.init)
    inserted = update.insertions.map(Path.init)
    reloaded = update.reloads.map(Path.init)
  }

  /// Makes the batch of one stage of a change of sections.
  public init<Header, Item>(_ stage: SectionedChanges<Header, Item>.Stage) {
    deleted = stage.deletedItems.map(Path.init)
    inserted = stage.insertedItems.map(Path.init)
    moved = stage.movedItems.map { Move(from: Path($0.from), to: Path($0.to)) }
    reloaded = stage.reloadedItems.map(Path.init)
    deletedSections = stage.deletedSections
    insertedSections = stage.insertedSections
    movedSections = stage.movedSections.map { Move(from: $0.from, to: $0.to) }
    reloadedSections = stage.reloadedSections
  }
}

extension CollectionViewBatch.Path {
  /// - Precondition: the path is `[section, item]`.
  public init(_ path: IndexPath) {
    precondition(path.count == 2, "a path of \(path.count) indexes is not [section, item]")
    self.init(section: path[0], item: path[1])
  }

  public init(_ path: ItemPath) { self.init(section: path.section, item: path.item) }
}
