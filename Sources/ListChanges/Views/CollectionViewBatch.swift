#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The operations of one `performBatchUpdates`, on items and on whole sections.
///
/// Deletions, reloads and sources of moves are places *before* the batch, insertions and targets of
/// moves places *after* it. The order within each array has no meaning.
public struct CollectionViewBatch: Equatable, Sendable {
  /// The place of an item, like Foundation's `IndexPath` of two indexes.
  public typealias Path = ItemPath

  public var deleted: [Path] = []
  public var inserted: [Path] = []
  /// Also from one section to another.
  public var moved: [PlaceMove<Path>] = []
  public var reloaded: [Path] = []

  public var deletedSections: [Int] = []
  public var insertedSections: [Int] = []
  public var movedSections: [IndexMove] = []
  public var reloadedSections: [Int] = []

  /// Makes an empty batch.
  public init() {}

  /// The number of single operations.
  public var count: Int {
    deleted.count + inserted.count + moved.count + reloaded.count + deletedSections.count
      + insertedSections.count + movedSections.count + reloadedSections.count
  }

  /// Makes the batch of one section's items.
  public init(_ updates: BatchUpdates, inSection section: Int = 0) {
    self.init(updates.map { Path(section: section, item: $0) })
  }

  /// Makes a batch of index paths.
  public init(_ updates: IndexPathUpdates) { self.init(updates.map(Path.init)) }

  private init(_ updates: PlacedUpdates<Path>) {
    (deleted, inserted) = (updates.deleted, updates.inserted)
    (moved, reloaded) = (updates.moved, updates.reloaded)
  }

  public init(_ update: ViewUpdate) {
    deleted = update.deletions.map(Path.init)
    inserted = update.insertions.map(Path.init)
    reloaded = update.reloads.map(Path.init)
  }

  /// Makes the batch of one stage of a change of sections.
  public init<Header, Item>(_ stage: SectionedChanges<Header, Item>.Stage) {
    deleted = stage.deletedItems
    inserted = stage.insertedItems
    moved = stage.movedItems.map { PlaceMove(from: $0.from, to: $0.to) }
    reloaded = stage.reloadedItems
    deletedSections = stage.deletedSections
    insertedSections = stage.insertedSections
    movedSections = stage.movedSections.map { IndexMove(from: $0.from, to: $0.to) }
    reloadedSections = stage.reloadedSections
  }
}

extension ItemPath {
  /// - Precondition: The path is `[section, item]`.
  public init(_ path: IndexPath) {
    precondition(path.count == 2, "a path of \(path.count) indexes is not [section, item]")
    self.init(section: path[0], item: path[1])
  }
}
