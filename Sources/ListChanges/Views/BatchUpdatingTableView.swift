#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A table view: the calls of `UITableView`, with its exact signatures.
///
///     extension UITableView: @retroactive BatchUpdatingTableView {}
///
///     tableView.update(from: parks, to: new, inSection: 0, with: .automatic) { self.parks = $0 }
///
/// The rules and parameters are those of ``BatchUpdatingView``. The type `RowAnimation` is
/// `UITableView.RowAnimation` in UIKit.
//
// Not a refinement of a protocol that both kinds of view share: Swift then infers no associated
// types for the app's one line, and demands `@retroactive` for each protocol.
@MainActor public protocol BatchUpdatingTableView: AnyObject {
  associatedtype Window
  associatedtype Sections: SetAlgebra where Sections.Element == Int
  associatedtype RowAnimation

  /// Nil if the view is not on a screen.
  var window: Window? { get }
  func reloadData()
  func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)?)

  func insertRows(at indexPaths: [IndexPath], with animation: RowAnimation)
  func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation)
  func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath)
  func reloadRows(at indexPaths: [IndexPath], with animation: RowAnimation)

  func insertSections(_ sections: Sections, with animation: RowAnimation)
  func deleteSections(_ sections: Sections, with animation: RowAnimation)
  func moveSection(_ section: Int, toSection newSection: Int)
  func reloadSections(_ sections: Sections, with animation: RowAnimation)
}

extension BatchUpdatingTableView {
  /// Shows a new list in one section of the view; see
  /// ``BatchUpdatingView/update(from:to:inSection:reloadingAbove:setData:completion:)``.
  public func update<Item: Identifiable & Equatable>(
    from old: [Item], to new: [Item], inSection section: Int, with animation: RowAnimation,
    reloadingAbove limit: Int = 500, setData: @escaping ([Item]) -> Void,
    completion: ((Bool) -> Void)? = nil
  ) {
    let batch = old.changes(to: new, ids: .trusted).batchUpdates()
    update(
      by: batch, inSection: section, with: animation, reloadingAbove: limit,
      setData: { setData(new) }, completion: completion)
  }

  /// Shows a new list in one section of the view, by a batch that was computed elsewhere.
  public func update(
    by batch: BatchUpdates, inSection section: Int, with animation: RowAnimation,
    reloadingAbove limit: Int = 500, setData: @escaping () -> Void,
    completion: ((Bool) -> Void)? = nil
  ) {
    perform(
      ViewPlan(batch, inSection: section), with: animation, reloadingAbove: limit,
      setData: setData, completion: completion)
  }

  /// Shows a new list of sections; see
  /// ``BatchUpdatingView/update(from:to:reloadingAbove:setData:completion:)``.
  public func update<Header, Item>(
    from old: [ListSection<Header, Item>], to new: [ListSection<Header, Item>],
    with animation: RowAnimation, reloadingAbove limit: Int = 500,
    setData: @escaping ([ListSection<Header, Item>]) -> Void, completion: ((Bool) -> Void)? = nil
  ) where Header.ID: Sendable, Item.ID: Sendable {
    perform(
      ViewPlan(from: old, to: new), with: animation, reloadingAbove: limit, setData: setData,
      completion: completion)
  }

  private func perform<Data>(
    _ plan: ViewPlan<Data>, with animation: RowAnimation, reloadingAbove limit: Int,
    setData: @escaping (Data) -> Void, completion: ((Bool) -> Void)?
  ) {
    plan.perform(
      reloads: window == nil || plan.count > limit, setData: setData, completion: completion,
      reloadData: reloadData
    ) { stage, completion in
      performBatchUpdates(
        {
          setData(stage.data)
          self.call(stage.batch, with: animation)
        }, completion: completion)
    }
  }

  /// Makes the calls for a batch; none for an empty array.
  private func call(_ batch: CollectionViewBatch, with animation: RowAnimation) {
    if let sections: Sections = batch.deletedSections.asSet() {
      deleteSections(sections, with: animation)
    }
    if let sections: Sections = batch.insertedSections.asSet() {
      insertSections(sections, with: animation)
    }
    for move in batch.movedSections { moveSection(move.from, toSection: move.to) }
    if let sections: Sections = batch.reloadedSections.asSet() {
      reloadSections(sections, with: animation)
    }
    if let paths = batch.deleted.asIndexPaths { deleteRows(at: paths, with: animation) }
    if let paths = batch.inserted.asIndexPaths { insertRows(at: paths, with: animation) }
    for move in batch.moved { moveRow(at: move.from.indexPath, to: move.to.indexPath) }
    if let paths = batch.reloaded.asIndexPaths { reloadRows(at: paths, with: animation) }
  }
}
