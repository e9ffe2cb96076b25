import ListModel

/// Every use case that writes checks its input against the limits here.
extension SyncService {
  func check(_ content: CommitRequest.Content, of list: ListName) throws(ServiceError) {
    switch content {
    case .whole(let outline):
      try check(outline.snapshotInMemory?.items ?? [], count: outline.count, of: list)
    case .changes(let changes, from: _, to: _): try check(changes, of: list)
    case .edits(let edits):
      let items = edits.lazy.compactMap { edit in
        if case .put(let item, _) = edit { item } else { nil }
      }
      try check(items, count: 0, of: list)
    case .revert: break
    }
  }

  func check(_ changes: BareChanges, of list: ListName) throws(ServiceError) {
    let items = changes.inserted.lazy.map(\.item)
    try check(items, count: changes.newCount, of: list)
    try check(changes.updated.lazy.map(\.item), count: changes.newCount, of: list)
  }

  /// Checks the number of items that a list would have.
  func check(count: Int, of list: ListName) throws(ServiceError) {
    do {
      try limits.check(count, .items)
    } catch {
      throw .limit(error, list: list, item: nil)
    }
  }

  /// - Complexity: O(items), by lengths alone.
  func check(
    _ items: some Sequence<Item>, count: Int, of list: ListName
  ) throws(ServiceError) {
    try check(count: count, of: list)
    var size = CommitSize(limits)
    for item in items { try check(item, addedTo: &size, of: list) }
  }

  /// Checks one of several items that come in together.
  func check(
    _ item: Item, addedTo size: inout CommitSize, of list: ListName
  ) throws(ServiceError) {
    do {
      try size.add(item)
    } catch {
      throw .limit(error, list: list, item: item.id)
    }
  }
}
