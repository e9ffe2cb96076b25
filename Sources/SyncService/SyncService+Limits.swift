import ListModel

/// What comes in is held to the limits here, whoever brings it.
extension SyncService {
  func check(_ content: CommitRequest.Content, of list: ListName) throws(ServiceError) {
    switch content {
    case .snapshot(let snapshot):
      try check(snapshot.items, count: snapshot.items.count, of: list)
    case .changes(let changes, from: _, to: _): try check(changes, of: list)
    case .edits(let edits):
      let items = edits.lazy.compactMap { edit in
        if case .put(let item, _) = edit { item } else { nil }
      }
      try check(items, count: 0, of: list)
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
  private func check(
    _ items: some Sequence<Item>, count: Int, of list: ListName
  ) throws(ServiceError) {
    try check(count: count, of: list)
    var size = CommitSize(limits)
    for item in items {
      do {
        try size.add(item)
      } catch {
        throw .limit(error, list: list, item: item.id)
      }
    }
  }
}

/// A source of versions that is held to the limits as it is read.
struct LimitedSource: VersionSource {
  private var source: any VersionSource
  private let service: SyncService
  private let list: ListName
  /// The items of the base so far.
  private var baseSize: CommitSize
  private var baseCount = 0

  init(_ source: any VersionSource, for list: ListName, of service: SyncService) {
    self.source = source
    self.list = list
    self.service = service
    baseSize = CommitSize(service.limits)
  }

  mutating func header() throws -> BundleHeader { try source.header() }

  mutating func next() throws -> BundleEvent? {
    let event = try source.next()
    switch event {
    case .item(let item): try add(item)
    case .step(let step): try service.check(step.changes, of: list)
    case .header, nil: break
    }
    return event
  }

  private mutating func add(_ item: Item) throws(ServiceError) {
    baseCount += 1
    try service.check(count: baseCount, of: list)
    do {
      try baseSize.add(item)
    } catch {
      throw .limit(error, list: list, item: item.id)
    }
  }
}
