/// A way to make the changes between two versions, with its estimated cost.
struct DeltaRoute {
  enum Way {
    /// The steps between them are composed.
    case steps
    /// Both versions are rebuilt and compared.
    case snapshots
  }

  let way: Way
  /// Change rows to be read.
  let rowCount: Int
  /// The cost in units of reading one row; composing or applying a row costs as much again.
  private let visitCount: Int

  /// Decoding and comparing an item costs a quarter of reading a row, as measured on lists of
  /// 1,000,000 items in an order other than that of their keys.
  private static let itemsPerRow = 4

  /// A single step needs no composing; several steps cost each of their rows.
  static func steps(stepCount: Int, changeCount: Int) -> DeltaRoute {
    DeltaRoute(
      way: .steps, rowCount: changeCount, visitCount: changeCount * (stepCount > 1 ? 2 : 1))
  }

  /// - Parameters:
  ///   - replayedCount: the changes between the versions and their checkpoints.
  ///   - itemCount: the items of both versions together.
  static func snapshots(replayedCount: Int, itemCount: Int) -> DeltaRoute {
    DeltaRoute(
      way: .snapshots, rowCount: replayedCount,
      visitCount: 2 * replayedCount + itemCount / itemsPerRow)
  }

  /// The cheaper of two routes, the first of equals.
  static func cheaper(_ a: DeltaRoute, _ b: DeltaRoute) -> DeltaRoute {
    a.visitCount <= b.visitCount ? a : b
  }
}
