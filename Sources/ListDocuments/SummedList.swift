import ListChanges
import ListModel

/// A list that is replayed step by step, and its checksum with it, each step at the cost of its
/// changes.
struct SummedList {
  private(set) var checksum: Checksum
  private var list: ReplayedList<Item>
  /// How many items were summed up because a step was large, for tests that count.
  private(set) var summedItemCount = 0

  init(_ items: [Item], checksum: Checksum) {
    self.checksum = checksum
    list = ReplayedList(items)
  }

  var count: Int { list.count }
  var items: [Item] { list.elements }

  /// The changes with what they take away.
  ///
  /// - Throws: `ListChangesError` as ``ListModel/BareChanges/completed(oldItem:)`` does.
  func completed(_ changes: BareChanges) throws(ListChangesError<ItemID>) -> ChangeSet<Item> {
    guard changes.oldCount == count else {
      throw .countMismatch(expected: changes.oldCount, found: count)
    }
    do {
      return try changes.completed { list[$0] }
    } catch let error as ListChangesError<ItemID> {
      throw error
    } catch {
      preconditionFailure("looking an item up throws nothing: \(error)")
    }
  }

  /// Makes the new list from the present one.
  ///
  /// - Throws: `ListChangesError` when the step starts from another list; this one is then what it
  ///   was.
  /// - Complexity: O(d log n) for a step of d changes to a list of n items, in the long run.
  mutating func apply(_ step: ChangeSet<Item>) throws(ListChangesError<ItemID>) {
    // By the list as it was: the items around the changes are looked up there.
    let advanced = step.isSmall ? checksum.advanced(by: step) { list[$0] } : nil
    try list.apply(step)
    if let advanced {
      checksum = advanced
    } else {
      checksum = Checksum(of: Snapshot(uniqueItems: list.elements))
      summedItemCount += count
    }
  }
}
