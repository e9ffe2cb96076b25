import Synchronization

/// Bounds what the readings of one answer may cost together, so that a program finds out which
/// answers are long by making them.
///
/// All readings of a task count on ``current``. A row costs 1, and 1 more for each 64 bytes of its
/// data; a block also for each 64 bytes that it unfolds to. Each change of an item that is looked
/// at in a block costs 1. So 1 is about a microsecond.
package final class ReadingLimit: Sendable {
  /// Thrown by the reading that exceeds the limit, and by every later one.
  package struct Exceeded: Error {}

  /// The limit of the present task; nil for none.
  @TaskLocal package static var current: ReadingLimit?

  private let highest: Int
  private let spent = Atomic(0)

  /// - Parameter highest: the highest cost of the readings together.
  package init(_ highest: Int) { self.highest = highest }

  /// The cost of the readings so far.
  package var cost: Int { spent.load(ordering: .relaxed) }

  func spend(_ cost: Int) throws {
    if spent.add(cost, ordering: .relaxed).newValue > highest { throw Exceeded() }
  }
}
