/// A way to make the changes between two versions.
enum DeltaRoute: Equatable {
  /// The steps between them are composed.
  case steps
  /// Both versions are rebuilt and compared.
  case snapshots

  /// The cheaper way.
  static func cheapest(steps: DeltaCost, snapshots: DeltaCost) -> DeltaRoute {
    steps.visitCount <= snapshots.visitCount ? .steps : .snapshots
  }
}

/// The estimated cost of a ``DeltaRoute``.
struct DeltaCost: Equatable {
  /// Change rows to be read.
  var rowCount = 0
  /// Those of them that are also composed or applied.
  var workedRowCount = 0
  /// Items to be read from checkpoints and compared.
  var itemCount = 0

  /// The cost in units of reading one row.
  var visitCount: Int { rowCount + workedRowCount + itemCount / Self.itemsPerRow }

  /// Decoding and comparing an item costs a quarter of reading a row, as measured on lists of
  /// 1,000,000 items in an order other than that of their keys.
  private static let itemsPerRow = 4

  /// A single step needs no composing; several steps cost each of their rows.
  static func steps(stepCount: Int, changeCount: Int) -> DeltaCost {
    DeltaCost(rowCount: changeCount, workedRowCount: stepCount > 1 ? changeCount : 0)
  }

  /// - Parameters:
  ///   - replayedCount: the changes between the versions and their checkpoints.
  ///   - itemCount: the items of both versions together.
  static func snapshots(replayedCount: Int, itemCount: Int) -> DeltaCost {
    DeltaCost(rowCount: replayedCount, workedRowCount: replayedCount, itemCount: itemCount)
  }
}
