import ListModel
import ListStore

/// A list in an overview.
public struct ListSummary: Equatable, Sendable {
  public let name: ListName
  public let head: ListState
  /// When the head was committed; nil at version 0.
  public let committedAt: Timestamp?
  public let oldest: Version
  /// The rule by which ids are found in snapshot files; nil if no commit gave one.
  public let idRule: String?
  /// The member that is the title of an item; nil if no commit named one.
  public var titlePath: JSONPointer?
  /// How many items a snapshot or delta may remove, and update.
  public var limits = ChangeLimits.none
}

extension SyncService {
  /// Lists by name.
  ///
  /// - Complexity: O(1) rows read for each list in the answer; the same number of queries for any
  ///   number of lists.
  public func lists(_ range: NameRange = NameRange()) async throws -> [ListSummary] {
    try await store.read { try $0.summaries(of: $0.lists(.names(range))) }
  }

  /// The rule by which ids are found in a list's snapshot files; nil if no commit gave one.
  ///
  /// A commit depends on it, so a standby is not asked.
  public func idRule(of list: ListName) async throws -> String? {
    try await store.primary.read { try $0.list(list)?.idRule }
  }

  /// The oldest version that a list keeps.
  ///
  /// - Throws: `ServiceError.noSuchList`, `.gone`.
  public func oldest(of list: ListName) async throws -> Version {
    try await store.read { try $0.existingList(list).oldest }
  }

  /// The member that is the title of a list's items; nil if no commit named it, or without a list.
  public func titlePath(of list: ListName) async throws -> JSONPointer? {
    try await store.read { reader in
      try reader.list(list).flatMap { try reader.titlePath(of: $0.key) }
    }
  }

  /// A list at a version, with its state.
  ///
  /// - Throws: `ServiceError` of looking up; `.broken` when the stored version
  ///   does not have its root.
  public func snapshot(
    of list: ListName, at revision: Revision = .head
  ) async throws -> (state: ListState, snapshot: Snapshot) {
    try await store.read { try $0.snapshot(of: ListRevision(list, revision)) }
  }

  /// The state of a list at a version, and the list if it is short.
  ///
  /// - Parameters:
  ///   - list: its name.
  ///   - revision: the version.
  ///   - count: the highest number of items of a short list.
  /// - Throws: as ``snapshot(of:at:)``.
  public func snapshot(
    of list: ListName, at revision: Revision, upTo count: Int
  ) async throws -> (state: ListState, snapshot: Snapshot?) {
    try await store.read { reader in
      let list = try reader.existingList(list)
      let state = try reader.state(of: revision, in: list)
      return (state, state.count > count ? nil : try reader.checkedSnapshot(at: state, of: list))
    }
  }

  /// Passes the items of a list at a version to a receiver, in order, some at a time, so that they
  /// need not be in memory together.
  ///
  /// Do not act upon the items before the call has returned: only then is it known that they are
  /// the version's.
  ///
  /// - Parameters:
  ///   - list: the list.
  ///   - revision: the version.
  ///   - receive: gets items that are next to each other, and the index of the first. The index is
  ///     0 again if a store on a server has to begin again.
  /// - Throws: as ``snapshot(of:at:)``; what `receive` throws.
  /// - Complexity: memory for two numbers of each item, and for 65,536 items, or for
  ///   65,536 or a quarter of the items.
  public func items(
    of list: ListName, at revision: Revision = .head,
    receive: @Sendable (_ items: [Item], _ index: Int) throws -> Void
  ) async throws -> ListState {
    try await store.read { reader in
      let list = try reader.existingList(list)
      let state = try reader.state(of: revision, in: list)
      try reader.checkedItems(at: state, of: list, receive: receive)
      return state
    }
  }

  /// The state of a list at a version. The list itself is not read.
  ///
  /// - Throws: `ServiceError` of looking up.
  public func state(of version: ListRevision) async throws -> ListState {
    try await store.read { reader in
      try reader.state(of: version.revision, in: reader.existingList(version.list))
    }
  }

  /// An item of a list at a version, with the state of the list.
  ///
  /// - Throws: `ServiceError` of looking up; `.itemAbsent` when the version
  ///   does not contain it.
  /// - Complexity: O(n / 1000) rows read for the newest version of n items, and one content. For an
  ///   older one, the changes of the item since then. `EditingTests` counts.
  public func item(
    _ id: ItemID, of list: ListName, at revision: Revision = .head
  ) async throws -> (state: ListState, item: Item) {
    try await store.read { reader in
      let list = try reader.existingList(list)
      let state = try reader.state(of: revision, in: list)
      if state.version != list.head {
        return (state, try reader.item(id, at: state.version, of: list))
      }
      var head = try Head(of: list, in: reader)
      return (head.state, try head.item(id))
    }
  }

  /// The number of bytes and rows of the store, or of one list.
  ///
  /// - Throws: `ServiceError.noSuchList`.
  /// - Complexity: every page of the store is read.
  public func size(of list: ListName? = nil) async throws -> StoreSize {
    try await store.read { reader in
      try reader.size(of: list.map { try reader.existingList($0) })
    }
  }
}

extension ListReader {
  func snapshot(of version: ListRevision) throws -> (state: ListState, snapshot: Snapshot) {
    let list = try existingList(version.list)
    let state = try state(of: version.revision, in: list)
    return (state, try checkedSnapshot(at: state, of: list))
  }

  func summaries(of lists: [ListRecord]) throws -> [ListSummary] {
    if lists.isEmpty { return [] }
    let titlePaths = try titlePaths(of: lists.map(\.key))
    return zip(lists, try heads(of: lists)).map { list, head in
      ListSummary(
        name: list.name, head: head?.state ?? .zero, committedAt: head?.note.time,
        oldest: list.oldest, idRule: list.idRule, titlePath: titlePaths[list.key],
        limits: list.limits)
    }
  }
}
