import ListChanges
import ListModel
import ListStore

/// Snapshots are rebuilt from steps here.
extension ListReader {
  /// The keys of a list's items at a version.
  ///
  /// - Complexity: O(c log c) for the c changes up to the version.
  func storedItems(at version: Version, of list: ListRecord) throws -> [StoredItem] {
    try advance([], of: list, from: .zero, to: version)
  }

  /// The keys of a list's items at a version, from those at an earlier one.
  func advance(
    _ items: [StoredItem], of list: ListRecord, from start: Version, to end: Version
  ) throws -> [StoredItem] {
    guard start < end else { return items }
    var items = items
    for batch in batches(try steps(start.next...end, of: list.key), over: items.count) {
      guard let last = batch.last, let changes = ChangeSet.composing(batch.map(\.changes)) else {
        continue
      }
      do {
        items = try items.applying(changes)
      } catch {
        throw ServiceError.broken(list: list.name, version: last.version, reason: "\(error)")
      }
    }
    return items
  }

  /// Groups steps so that each group has changes worth copying the list for: applying one costs the
  /// list's length, composing one costs its changes, some dozens of times as much apiece.
  private func batches(_ steps: [Step], over count: Int) -> [[Step]] {
    let itemsPerChange = 32
    var batches: [[Step]] = []
    var batch: [Step] = []
    var (changeCount, itemCount) = (0, count)
    for step in steps {
      batch.append(step)
      changeCount += step.changes.count
      guard changeCount * itemsPerChange >= itemCount else { continue }
      batches.append(batch)
      (batch, changeCount, itemCount) = ([], 0, step.changes.newCount)
    }
    return batch.isEmpty ? batches : batches + [batch]
  }

  /// The items that keys stand for.
  func items(_ stored: [StoredItem]) throws -> [Item] {
    let ids = try ids(of: stored.map(\.id))
    let contents = try contents(of: stored.map(\.content))
    return zip(ids, contents).map { Item(id: $0, content: $1) }
  }

  func snapshot(at version: Version, of list: ListRecord) throws -> Snapshot {
    do {
      return try Snapshot(items(storedItems(at: version, of: list)))
    } catch let error as ListChangesError<ItemID> {
      throw ServiceError.broken(list: list.name, version: version, reason: "\(error)")
    }
  }
}
