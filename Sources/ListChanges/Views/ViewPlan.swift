#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The way to show new data in a view, for each kind of view.
struct ViewPlan<Data> {
  struct Stage {
    let batch: CollectionViewBatch
    /// The data that the data source holds after the batch.
    let data: Data
  }

  /// The batches in their order, none of them empty; nil if no batch can show the data.
  let stages: [Stage]?
  let newData: Data

  /// The number of single operations.
  var count: Int { (stages ?? []).reduce(0) { $0 + $1.batch.count } }

  /// Performs the stages, or reloads everything.
  ///
  /// - Parameter performStage: calls `performBatchUpdates`, with this completion.
  @MainActor func perform(
    reloads: Bool, setData: (Data) -> Void, completion: ((Bool) -> Void)?,
    reloadData: () -> Void, performStage: (Stage, _ completion: @escaping (Bool) -> Void) -> Void
  ) {
    guard let stages, !stages.isEmpty, !reloads else {
      setData(newData)
      if stages?.isEmpty != true { reloadData() }
      completion?(true)
      return
    }
    // Animations of successive batches overlap, and may end in any order.
    var (runningCount, areFinished) = (stages.count, true)
    for stage in stages {
      performStage(stage) { isFinished in
        areFinished = areFinished && isFinished
        runningCount -= 1
        if runningCount == 0 { completion?(areFinished) }
      }
    }
  }
}

extension ViewPlan<Void> {
  init(_ batch: BatchUpdates, inSection section: Int) {
    newData = ()
    stages =
      batch.isEmpty
      ? [] : [Stage(batch: CollectionViewBatch(batch, inSection: section), data: ())]
  }
}

extension ViewPlan {
  init<Header, Item>(
    from old: [ListSection<Header, Item>], to new: [ListSection<Header, Item>]
  ) where Data == [ListSection<Header, Item>], Header.ID: Sendable, Item.ID: Sendable {
    newData = new
    do {
      var data = old
      stages = try old.sectionedChanges(to: new).stages().map { stage in
        data = try data.applying(stage.changes)
        return Stage(batch: CollectionViewBatch(stage), data: data)
      }
    } catch {
      // Only a repeated section or item throws. A reload shows such lists, too.
      stages = nil
    }
  }
}

extension [Int] {
  /// As an `IndexSet` or another set; nil if empty.
  func asSet<Indexes: SetAlgebra<Int>>() -> Indexes? { isEmpty ? nil : Indexes(self) }
}

extension ItemPath {
  var indexPath: IndexPath { [section, item] }
}

extension [ItemPath] {
  /// Nil if empty.
  var asIndexPaths: [IndexPath]? { isEmpty ? nil : map(\.indexPath) }
}
