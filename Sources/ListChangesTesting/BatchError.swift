public import ListChanges

/// The reason for which a collection view would refuse a batch, most often with an
/// `NSInternalInconsistencyException`.
public enum BatchError: Error, Hashable {
  // Found in the batch and the counts before and after it.

  /// Thrown when a place does not exist: before the batch for deletions, reloads and sources of
  /// moves, after it for insertions and targets of moves.
  case outOfRange(Operation, Place)
  /// Thrown when two operations other than reloads name one place of the same side.
  case usedTwice(Place, Operation, Operation)
  /// Thrown when a reloaded place is also deleted, moved or reloaded again.
  case reloadMeets(Operation, Place)
  /// Thrown when an item operation lies in a section that is itself deleted, inserted or reloaded.
  case insideSection(that: Operation, Operation, Place)

  // Found by asking the data source.

  /// Thrown when the data source has other numbers than the view even before the batch: its data
  /// must change inside of `performBatchUpdates`.
  case setTooEarly

  /// Thrown when the number of sections is not the old one, less deleted, plus inserted ones.
  case sectionCount(expected: Int, found: Int)
  /// Thrown when the number of items in a section is not the old one, less deleted and moved away,
  /// plus inserted and moved in.
  case itemCount(section: Int, expected: Int, found: Int)

  public enum Operation: Hashable, Sendable {
    case delete, reload, moveFrom
    case insert, moveTo
  }

  public enum Place: Hashable, Sendable {
    case section(Int)
    case item(CollectionViewBatch.Path)
  }
}
