import ListModel

@testable import ListStore

extension ListWriter {
  /// Drops all checkpoints and the order of the head, which the change log can restore. The
  /// checkpoint at the oldest version of a pruned list stays, since the log before it is deleted.
  package func dropCheckpoints(of list: ListKey) throws {
    let oldest = try row(of: list).oldest
    let floor = Int64(oldest > Version(1) ? oldest.number : 0)
    let opened = opened(list)
    (opened.headParts, opened.newestCheckpoint) = (nil, nil)
    for range in [
      RowRange(of: .checkpoints, in: list, through: floor - 1),
      RowRange(of: .checkpoints, in: list, from: floor + 1), RowRange(of: .headParts, in: list),
    ] {
      try delete(range)
    }
  }
}
