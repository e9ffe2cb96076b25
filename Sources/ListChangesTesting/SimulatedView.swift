public import ListChanges

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A collection and table view without a screen: it has the calls of both, and judges each batch by
/// the rules of ``CollectionViewSimulator``.
///
///     let view = SimulatedView(showing: old)
///     view.update(from: old, to: new, inSection: 0) { view.data[0].items = $0 }
///     #expect(try view.displayed == view.data)
///
/// Headers keep their content like cells, until their section is reloaded.
///
/// UIKit raises an exception for a refused batch. This view then ignores all further calls, and
/// ``displayed`` throws the error.
@MainActor
public final class SimulatedView<
  Header: Identifiable & Equatable, Item: Identifiable & Equatable
> {
  /// The sections that the data source returns.
  public var data: [ListSection<Header, Item>]
  public var isInWindow = true
  /// The performed batches.
  public private(set) var batches: [CollectionViewBatch] = []
  public private(set) var reloadCount = 0

  private var items: CollectionViewSimulator<Item>
  private var headers: CollectionViewSimulator<Header>
  /// The operations of the batch that is being made.
  private var open: CollectionViewBatch?
  private var refusal: BatchError?

  public init(showing data: [ListSection<Header, Item>]) {
    self.data = data
    items = CollectionViewSimulator(showing: data.map(\.items))
    headers = CollectionViewSimulator(showing: data.map(\.header))
  }

  /// The headers and cells.
  ///
  /// - Throws: the reason why a batch was refused.
  public var displayed: [ListSection<Header, Item>] {
    get throws(BatchError) {
      if let refusal { throw refusal }
      return zip(headers.displayed[0], items.displayed).map { ListSection($0, items: $1) }
    }
  }

  private func commit(_ batch: CollectionViewBatch) {
    do {
      try items.performBatchUpdates(batch, showing: data.map(\.items))
      try headers.performBatchUpdates(
        BatchUpdates(
          deleted: batch.deletedSections, inserted: batch.insertedSections,
          moved: batch.movedSections, reloaded: batch.reloadedSections),
        showing: data.map(\.header))
      batches.append(batch)
    } catch {
      refusal = error
    }
  }

  /// Adds an operation to the open batch. Outside of a batch it is one of its own.
  private func add(_ operation: (inout CollectionViewBatch) -> Void) {
    if refusal != nil { return }
    var batch = open ?? CollectionViewBatch()
    operation(&batch)
    if open == nil { commit(batch) } else { open = batch }
  }
}

/// The header of a section in a view without headers.
public struct NoHeader: Identifiable, Hashable, Sendable {
  /// The section's first index.
  public let id: Int
}

extension SimulatedView where Header == NoHeader {
  /// Makes a view whose sections have no headers.
  public convenience init(showing items: [Item]...) {
    self.init(showing: items.enumerated().map { ListSection(NoHeader(id: $0), items: $1) })
  }
}

extension SimulatedView: BatchUpdatingView, BatchUpdatingTableView {
  public enum RowAnimation: Sendable { case automatic }

  /// Nil outside of a window.
  public var window: Void? { isInWindow ? () : nil }

  public func reloadData() {
    if refusal != nil { return }
    reloadCount += 1
    items.reloadData(showing: data.map(\.items))
    headers.reloadData(showing: [data.map(\.header)])
  }

  /// - Precondition: The data source changes in `updates`, not before; a view asks it for the old
  ///   numbers first.
  public func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)?) {
    if refusal != nil { return }
    let isNested = open != nil
    if !isNested {
      refusal = items.displayed.map(\.count) == data.map(\.items.count) ? nil : .setTooEarly
      open = CollectionViewBatch()
    }
    updates?()
    if !isNested, let batch = open {
      open = nil
      if refusal == nil { commit(batch) }
    }
    completion?(refusal == nil)
  }

  public func insertItems(at indexPaths: [IndexPath]) {
    add { $0.inserted += indexPaths.map(ItemPath.init) }
  }

  public func deleteItems(at indexPaths: [IndexPath]) {
    add { $0.deleted += indexPaths.map(ItemPath.init) }
  }

  public func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath) {
    add { $0.moved.append(PlaceMove(from: ItemPath(indexPath), to: ItemPath(newIndexPath))) }
  }

  public func reloadItems(at indexPaths: [IndexPath]) {
    add { $0.reloaded += indexPaths.map(ItemPath.init) }
  }

  public func insertSections(_ sections: Set<Int>) {
    add { $0.insertedSections += sections.sorted() }
  }

  public func deleteSections(_ sections: Set<Int>) {
    add { $0.deletedSections += sections.sorted() }
  }

  public func moveSection(_ section: Int, toSection newSection: Int) {
    add { $0.movedSections.append(IndexMove(from: section, to: newSection)) }
  }

  public func reloadSections(_ sections: Set<Int>) {
    add { $0.reloadedSections += sections.sorted() }
  }

  public func insertRows(at indexPaths: [IndexPath], with animation: RowAnimation) {
    insertItems(at: indexPaths)
  }

  public func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation) {
    deleteItems(at: indexPaths)
  }

  public func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) {
    moveItem(at: indexPath, to: newIndexPath)
  }

  public func reloadRows(at indexPaths: [IndexPath], with animation: RowAnimation) {
    reloadItems(at: indexPaths)
  }

  public func insertSections(_ sections: Set<Int>, with animation: RowAnimation) {
    insertSections(sections)
  }

  public func deleteSections(_ sections: Set<Int>, with animation: RowAnimation) {
    deleteSections(sections)
  }

  public func reloadSections(_ sections: Set<Int>, with animation: RowAnimation) {
    reloadSections(sections)
  }
}
