public import ListChanges

/// What a collection or table view shows, by the rules of its batch updates; for tests, without a
/// view.
///
/// A cell keeps the content with which it was made, also when it moves, until it is reloaded or its
/// section is; inserted cells ask the data source. So a test performs its batches and then expects
/// ``displayed`` to be what the data source holds:
///
///     var view = CollectionViewSimulator(showing: old)
///     try view.performBatchUpdates(changes.batchUpdates(), showing: new)
///     #expect(view.displayed == [new])
///
/// A batch that a view would refuse is refused by name (``BatchError``) and leaves it as it was.
/// (Rules: Apple, `UICollectionView`, "performBatchUpdates(_:completion:)", and the messages of
/// the exceptions that it raises.)
public struct CollectionViewSimulator<Element: Identifiable & Equatable> {
  /// The cells by section.
  public private(set) var displayed: [[Element]]

  /// Makes a view that shows these sections.
  public init(showing sections: [[Element]]) { displayed = sections }

  /// Makes a view with one section.
  public init(showing items: [Element]) { displayed = [items] }

  /// Performs one batch, while the data source already holds `sections`.
  ///
  /// - Throws: what a view would refuse; the first that is found, places before counts.
  /// - Complexity: O(n + d) for n cells before and after and d operations.
  public mutating func performBatchUpdates(
    _ batch: CollectionViewBatch, showing sections: [[Element]]
  ) throws(BatchError) {
    try BatchCheck(batch: batch, before: displayed.map(\.count), after: sections.map(\.count))
      .check()
    let layout = try BatchLayout(
      batch: batch, before: displayed.map(\.count), after: sections.map(\.count))
    displayed = layout.cells.enumerated().map { section, origins in
      origins.enumerated().map { item, origin in
        guard let origin else { return sections[section][item] }
        return displayed[origin.section][origin.item]
      }
    }
  }

  /// Performs one batch of one section, while the data source already holds `items` for it.
  public mutating func performBatchUpdates(
    _ updates: BatchUpdates, inSection section: Int = 0, showing items: [Element]
  ) throws(BatchError) {
    var sections = displayed
    sections[section] = items
    try performBatchUpdates(
      CollectionViewBatch(updates, inSection: section), showing: sections)
  }

  /// Shows everything anew.
  public mutating func reloadData(showing sections: [[Element]]) { displayed = sections }

  /// Whether the view shows the items that the data source holds, be it with old contents: what a
  /// batch must have reached that is to be followed by reloads.
  public func showsItems(of sections: [[Element]]) -> Bool {
    displayed.map { $0.map(\.id) } == sections.map { $0.map(\.id) }
  }
}
