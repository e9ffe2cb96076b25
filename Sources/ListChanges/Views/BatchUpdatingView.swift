#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A collection view: the calls of `UICollectionView`, with its exact signatures.
///
/// An app that uses UIKit writes one line, and then updates its views by
/// ``update(from:to:inSection:reloadingAbove:setData:completion:)``:
///
///     extension UICollectionView: @retroactive BatchUpdatingView {}
///
///     collectionView.update(from: parks, to: new, inSection: 0) { self.parks = $0 }
///
/// The same rules hold for each kind of update:
///
/// - The data source holds the old data when an update begins. `setData` sets the new data, and
///   nothing else does.
/// - Equal lists: `setData` is called, and no function of the view.
/// - The view is in no window, or there are more operations than `reloadingAbove` allows:
///   `setData`, then `reloadData()`.
/// - Otherwise one `performBatchUpdates` for a list of items, and up to four for a list of sections
///   (``SectionedChanges/stages()``). `setData` is called inside each.
/// - A view cannot reload an item that it also moves. Such an item is deleted and inserted in a
///   list of items, and moved before it is reloaded in a list of sections.
/// - `completion` is called once, with false if an animation was interrupted.
///
/// The types `Window` and `Sections` are inferred: `UIWindow` and `IndexSet` in UIKit.
@MainActor public protocol BatchUpdatingView: AnyObject {
  associatedtype Window
  associatedtype Sections: SetAlgebra where Sections.Element == Int

  /// Nil if the view is not on a screen.
  var window: Window? { get }
  func reloadData()
  func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)?)

  func insertItems(at indexPaths: [IndexPath])
  func deleteItems(at indexPaths: [IndexPath])
  func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath)
  func reloadItems(at indexPaths: [IndexPath])

  func insertSections(_ sections: Sections)
  func deleteSections(_ sections: Sections)
  func moveSection(_ section: Int, toSection newSection: Int)
  func reloadSections(_ sections: Sections)
}

extension BatchUpdatingView {
  /// Shows a new list in one section of the view.
  ///
  /// - Parameters:
  ///   - old: the list that the view shows, and the data source holds.
  ///   - new: may hold an id twice, like `old`; the moves are then not always the fewest.
  ///   - section: a section that the view already has.
  ///   - limit: the largest number of single operations to animate. Nobody can follow the animation
  ///     of hundreds of cells, and the view prepares each of them.
  ///   - setData: sets the list of the data source.
  ///   - completion: as that of `performBatchUpdates`.
  /// - Complexity: As ``Swift/Collection/changes(to:ids:)``, and O(d log d) for d changes.
  public func update<Item: Identifiable & Equatable>(
    from old: [Item], to new: [Item], inSection section: Int, reloadingAbove limit: Int = 500,
    setData: @escaping ([Item]) -> Void, completion: ((Bool) -> Void)? = nil
  ) {
    let batch = old.changes(to: new, ids: .trusted).batchUpdates()
    update(
      by: batch, inSection: section, reloadingAbove: limit, setData: { setData(new) },
      completion: completion)
  }

  /// Shows a new list in one section of the view, by a batch that was computed elsewhere: from a
  /// replica's update, or on another thread.
  ///
  ///     collectionView.update(by: update.batchUpdates, inSection: 0) { self.parks = update.after }
  public func update(
    by batch: BatchUpdates, inSection section: Int, reloadingAbove limit: Int = 500,
    setData: @escaping () -> Void, completion: ((Bool) -> Void)? = nil
  ) {
    perform(
      ViewPlan(batch, inSection: section), reloadingAbove: limit, setData: setData,
      completion: completion)
  }

  /// Shows a new list of sections.
  ///
  /// - Parameters:
  ///   - old: the sections that the view shows, and the data source holds.
  ///   - new: if a section or an item occurs twice in all sections, the view reloads everything.
  ///   - limit: the largest number of single operations to animate.
  ///   - setData: sets the sections of the data source; called once for each batch.
  ///   - completion: called after the last animation.
  /// - Complexity: As ``Swift/Collection/sectionedChanges(to:)``, and O(n) for n items.
  public func update<Header, Item>(
    from old: [ListSection<Header, Item>], to new: [ListSection<Header, Item>],
    reloadingAbove limit: Int = 500, setData: @escaping ([ListSection<Header, Item>]) -> Void,
    completion: ((Bool) -> Void)? = nil
  ) where Header.ID: Sendable, Item.ID: Sendable {
    perform(
      ViewPlan(from: old, to: new), reloadingAbove: limit, setData: setData, completion: completion)
  }

  private func perform<Data>(
    _ plan: ViewPlan<Data>, reloadingAbove limit: Int, setData: @escaping (Data) -> Void,
    completion: ((Bool) -> Void)?
  ) {
    plan.perform(
      reloads: window == nil || plan.count > limit, setData: setData, completion: completion,
      reloadData: reloadData
    ) { stage, completion in
      performBatchUpdates(
        {
          setData(stage.data)
          self.call(stage.batch)
        }, completion: completion)
    }
  }

  /// Makes the calls for a batch; none for an empty array.
  private func call(_ batch: CollectionViewBatch) {
    if let sections: Sections = batch.deletedSections.asSet() { deleteSections(sections) }
    if let sections: Sections = batch.insertedSections.asSet() { insertSections(sections) }
    for move in batch.movedSections { moveSection(move.from, toSection: move.to) }
    if let sections: Sections = batch.reloadedSections.asSet() { reloadSections(sections) }
    if let paths = batch.deleted.asIndexPaths { deleteItems(at: paths) }
    if let paths = batch.inserted.asIndexPaths { insertItems(at: paths) }
    for move in batch.moved { moveItem(at: move.from.indexPath, to: move.to.indexPath) }
    if let paths = batch.reloaded.asIndexPaths { reloadItems(at: paths) }
  }
}
