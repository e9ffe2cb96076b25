public import ListChanges

/// Simulates the cells of a collection or table view by the rules of its batch updates, for tests
/// without a view.
///
/// A cell keeps its content, also when it moves, until it or its section is reloaded. Inserted
/// cells get their content from the data source. So a test performs its batches, and then expects
/// that ``displayed`` equals the data source:
///
///     var view = CollectionViewSimulator(showing: old)
///     try view.performBatchUpdates(changes.batchUpdates(), showing: new)
///     #expect(view.displayed == [new])
///
/// A batch that a view would refuse throws a ``BatchError`` and changes nothing.
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
  /// - Throws: The first error found, places before counts.
  /// - Complexity: O(n + d) for n cells before and after and d operations.
  public mutating func performBatchUpdates(
    _ batch: CollectionViewBatch, showing sections: [[Element]]
  ) throws(BatchError) {
    try BatchRules(batch: batch, before: displayed.map(\.count), after: sections.map(\.count))
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
    try performBatchUpdates(CollectionViewBatch(updates, inSection: section), showing: sections)
  }

  /// Replaces all cells.
  public mutating func reloadData(showing sections: [[Element]]) { displayed = sections }

  /// Whether the view shows the items of the data source, possibly with old contents, as it must
  /// before a batch of reloads.
  public func showsItems(of sections: [[Element]]) -> Bool {
    displayed.map { $0.map(\.id) } == sections.map { $0.map(\.id) }
  }
}
