/// When a version is stored in order, so that reading it and those after it does not replay the
/// whole history.
enum CheckpointRule {
  /// Lists shorter than this are treated as this long: reading so many changes takes no time.
  static let leastItemCount = 256

  /// Whether the changes since the last checkpoint outweigh the list. Reading any version then
  /// costs at most twice its items in changes, and checkpoints hold at most one entry for each
  /// change.
  static func isDue(changesSinceLast: Int, itemCount: Int) -> Bool {
    changesSinceLast >= max(itemCount, leastItemCount)
  }
}
