import ListModel
import ListStore
import Synchronization

/// One change of one item, with the version that made it.
public struct ItemHistoryEntry: Equatable, Sendable {
  public let record: VersionRecord
  /// The index before; nil when the item was inserted.
  public let from: Int?
  /// The index after; nil when the item was removed.
  public let to: Int?
  /// Whether the item moved, rather than being shifted by others.
  public let isMove: Bool
  public let oldContent: Content?
  public let newContent: Content?

  /// The members of the content that changed; empty for an insertion, a removal or a mere move.
  public var memberChanges: [MemberChange] {
    guard let oldContent, let newContent else { return [] }
    return oldContent.memberChanges(to: newContent)
  }
}

extension SyncService {
  /// The versions of a list, newest first.
  ///
  /// - Parameter limit: at most so many; nil for all.
  public func log(of list: ListName, limit: Int? = nil) async throws -> [VersionRecord] {
    try await store.read { reader in
      let list = try reader.existingList(list)
      guard list.head >= list.oldest else { return [] }
      let first = limit.map { max(list.oldest.number, list.head.number - $0 + 1) }
      let start = first.map(Version.init) ?? list.oldest
      guard start <= list.head else { return [] }
      return try reader.versions(start...list.head, of: list.key).reversed()
    }
  }

  /// Hands out what happened to one item of a list, newest first, until the receiver returns false.
  ///
  /// - Throws: `ServiceError.noSuchItem` when no version that is kept holds it or knows of it.
  /// - Complexity: O(c log v) rows read for the item's own c changes and the list's v versions.
  public func history(
    of item: ItemID, in list: ListName,
    receive: @Sendable (ItemHistoryEntry) throws -> Bool
  ) async throws {
    try await store.read { reader in
      let list = try reader.existingList(list)
      guard let key = try reader.key(of: item, in: list.key) else {
        throw ServiceError.noSuchItem(item, list: list.name)
      }
      try reader.history(of: key, in: list) { change in
        try receive(
          ItemHistoryEntry(
            record: try reader.record(of: change.version, in: list), from: change.from,
            to: change.to, isMove: change.isMove,
            oldContent: try change.oldContent.map { try reader.checkedContents(of: [$0])[0] },
            newContent: try change.newContent.map { try reader.checkedContents(of: [$0])[0] }))
      }
    }
  }

  /// What happened to one item of a list, newest first, all of it at once.
  ///
  /// - Throws: as ``history(of:in:receive:)``.
  public func history(of item: ItemID, in list: ListName) async throws -> [ItemHistoryEntry] {
    let entries = Mutex<[ItemHistoryEntry]>([])
    try await history(of: item, in: list) { entry in
      entries.withLock { $0.append(entry) }
      return true
    }
    return entries.withLock { $0 }
  }
}
