import ListChanges
import ListModel
import ListStore

/// Rebuilds snapshots from the nearest checkpoint and the steps after it.
extension ListReader {
  private static var batchCount: Int { 1 << 16 }

  /// The order of the head; rebuilt if it is not stored.
  ///
  /// - Parameter count: the number of its items.
  func order(of list: ListRecord, count: Int) throws -> HeadOrder {
    if let order = try headOrder(of: list, count: count) { return order }
    let stored = try replayedItems(at: list.head, of: list)
    return HeadOrder(stored, RootTree(of: try items(of: stored)))
  }

  /// The keys of a list's items at a version.
  ///
  /// - Complexity: O(n + c) for the version's n items and the c changes since the last checkpoint,
  ///   which are at most about as many as it had items.
  func storedItems(at version: Version, of list: ListRecord) throws -> [StoredItem] {
    if version == .zero { return [] }
    if version == list.head, let order = try headOrder(of: list) { return try order.items() }
    return try replayedItems(at: version, of: list)
  }

  private func replayedItems(at version: Version, of list: ListRecord) throws -> [StoredItem] {
    guard let start = try newestCheckpoint(of: list.key, notAfter: version) else {
      return try advance([], of: list, from: .zero, to: version)
    }
    return try advance(checkpoint(at: start, of: list.key), of: list, from: start, to: version)
  }

  /// The number of changes that are read to rebuild a version.
  func replayedCount(at version: Version, of list: ListRecord) throws -> Int {
    if version == .zero || version == list.head { return 0 }
    let start = try newestCheckpoint(of: list.key, notAfter: version) ?? .zero
    return start < version ? try changeCount(start.next...version, of: list.key) : 0
  }

  /// Whether a version is cheaper to rebuild from its own checkpoint than from an earlier version.
  func isRebuiltAlone(
    _ version: Version, after earlier: Version, of list: ListRecord
  ) throws -> Bool {
    if version == list.head || earlier.next < list.firstStep { return true }
    return try newestCheckpoint(of: list.key, notAfter: version) ?? .zero > earlier
  }

  /// The keys of a list's items at a version, from those at an earlier version.
  func advance(
    _ items: [StoredItem], of list: ListRecord, from start: Version, to end: Version
  ) throws -> [StoredItem] {
    guard start < end else { return items }
    var replayed = ReplayedList(items)
    for step in try steps(start.next...end, of: list.key) {
      do {
        try replayed.apply(step.changes)
      } catch {
        throw ServiceError.broken(list: list.name, version: step.version, reason: "\(error)")
      }
    }
    return replayed.elements
  }

  /// Passes each step that a list keeps to a receiver, oldest first.
  ///
  /// - Complexity: memory for the changes of 256 versions.
  func forEachStep(of list: ListRecord, _ receive: (Step) throws -> Void) throws {
    var first = list.firstStep
    while first <= list.head {
      let last = Version(min(first.number + 255, list.head.number))
      for step in try steps(first...last, of: list.key) { try receive(step) }
      first = last.next
    }
  }

  /// Passes the steps that a list keeps to a receiver, oldest first, as many together as their
  /// texts are read with.
  func forEachBatch(of list: ListRecord, _ receive: ([Step]) throws -> Void) throws {
    let limit = try stepBatchCount(of: list)
    var (batch, count): ([Step], Int) = ([], 0)
    try forEachStep(of: list) { step in
      batch.append(step)
      count += max(1, step.changes.count)
      guard count >= limit else { return }
      try receive(batch)
      (batch, count) = ([], 0)
    }
    if !batch.isEmpty { try receive(batch) }
  }

  /// The snapshot at a version.
  ///
  /// - Throws: `ServiceError.broken` when it does not have its root.
  func checkedSnapshot(at state: ListState, of list: ListRecord) throws -> Snapshot {
    let snapshot = try snapshot(at: state.version, of: list)
    guard Root(of: snapshot) == state.root else { throw wrongRoot(state, of: list) }
    return snapshot
  }

  private func wrongRoot(_ state: ListState, of list: ListRecord) -> ServiceError {
    .broken(list: list.name, version: state.version, reason: "the root does not fit")
  }

  /// Passes the items at a version to a receiver, which must not act upon them before the end.
  ///
  /// - Throws: `ServiceError.broken` at the end when they do not have their root.
  func checkedItems(
    at state: ListState, of list: ListRecord, receive: ([Item], Int) throws -> Void
  ) throws {
    let stored = try storedItems(at: state.version, of: list)
    var builder = RootBuilder()
    let batchCount = Self.batchCount(of: stored)
    for start in stride(from: 0, to: max(stored.count, 1), by: batchCount) {
      let items = try items(of: Array(stored[start...].prefix(batchCount)))
      for item in items { builder.append(item) }
      try receive(items, start)
    }
    guard builder.root == state.root else { throw wrongRoot(state, of: list) }
  }

  /// How many items are read at once. In another order than that of the log, each batch may need
  /// all blocks; in nearly the same one, small batches take less memory.
  private static func batchCount(of stored: [StoredItem]) -> Int {
    let jumps = zip(stored, stored.dropFirst()).count { $1.id.sequence < $0.id.sequence }
    return jumps <= stored.count >> 10 ? 1 << 13 : max(batchCount, stored.count / 4)
  }

  /// An item of a version.
  ///
  /// - Throws: `ServiceError.itemAbsent`.
  /// - Complexity: O(c) rows read for the c changes of the item since the version.
  func item(_ id: ItemID, at version: Version, of list: ListRecord) throws -> Item {
    if version > .zero, let key = try keys(of: [id], in: list.key)[0] {
      var content: Content?
      // Whether the item's changes tell what it was.
      var isKnown = false
      try history(of: key, in: list) { change in
        let isLater = change.record.version > version
        (content, isKnown) = (isLater ? change.oldContent : change.newContent, true)
        return isLater
      }
      if let content { return Item(id: id, content: content) }
      if !isKnown {
        // It is as it was since the oldest version.
        var head = try Head(of: list, in: self)
        return try head.item(id)
      }
    }
    throw ServiceError.itemAbsent(id, list: list.name, wasRemoved: false, edit: nil)
  }

  private func snapshot(at version: Version, of list: ListRecord) throws -> Snapshot {
    do {
      return try Snapshot(items(of: storedItems(at: version, of: list)))
    } catch let error as ListChangesError<ItemID> {
      throw ServiceError.broken(list: list.name, version: version, reason: "\(error)")
    }
  }
}
