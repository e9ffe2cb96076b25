/// How the changes between two versions are made.
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

/// What a way to the changes between two versions costs, estimated before it is gone.
struct DeltaCost: Equatable {
  /// Change rows that are read.
  var rowCount = 0
  /// Change rows that are composed or applied, too.
  var workedRowCount = 0
  /// Items that are read from checkpoints and compared.
  var itemCount = 0

  /// A number that can be compared: what it costs to read a row is 1.
  var visitCount: Int { rowCount + workedRowCount + itemCount / Self.itemsPerRow }

  /// To decode an item and compare it costs a quarter of reading a row, measured on lists of
  /// 1,000,000 items whose order is not that of their keys.
  private static let itemsPerRow = 4

  /// Composing a single step is nothing; composing several touches each of their rows.
  static func steps(stepCount: Int, changeCount: Int) -> DeltaCost {
    DeltaCost(rowCount: changeCount, workedRowCount: stepCount > 1 ? changeCount : 0)
  }

  /// - Parameters:
  ///   - replayedCount: the changes between the versions and the checkpoints that they are rebuilt
  ///     from.
  ///   - itemCount: the items of both versions.
  static func snapshots(replayedCount: Int, itemCount: Int) -> DeltaCost {
    DeltaCost(rowCount: replayedCount, workedRowCount: replayedCount, itemCount: itemCount)
  }
}
