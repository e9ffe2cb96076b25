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
  /// Whether the item itself moved; others may only have shifted it.
  public let isMove: Bool
  public let oldContent: Content?
  public let newContent: Content?

  /// The changed members of the content; empty for an insertion, a removal or a mere move.
  public var memberChanges: [MemberChange] {
    guard let oldContent, let newContent else { return [] }
    return oldContent.memberChanges(to: newContent)
  }
}

extension SyncService {
  /// The versions of a list, newest first, as ``log(of:before:limit:receive:)`` reads them.
  public func log(
    of list: ListName, before: Version? = nil, limit: Int? = nil
  ) async throws -> [VersionRecord] {
    var records: [VersionRecord] = []
    try await log(of: list, before: before, limit: limit) { records += $0 }
    return records
  }

  /// Reads the versions of a list in batches, newest first.
  ///
  /// Each batch has its own transaction: versions never change, and a slow receiver keeps no
  /// transaction open. If versions are pruned in between, the last batch ends at the oldest
  /// version.
  ///
  /// - Parameters:
  ///   - list: its name.
  ///   - before: only versions older than this one; nil for all.
  ///   - limit: the highest number of versions; nil for all.
  ///   - receive: called with 1 to 256 versions at a time.
  /// - Throws: `ServiceError.noSuchList`; errors of the receiver.
  public func log(
    of list: ListName, before: Version? = nil, limit: Int? = nil,
    receive: ([VersionRecord]) async throws -> Void
  ) async throws {
    var left = limit ?? Int.max
    var newest = before.map { Version(max($0.number, 1) - 1) }
    repeat {
      let (start, count) = (newest, min(left, Self.logBatchCount))
      let batch = try await store.read { try $0.log(of: list, from: start, count: count) }
      guard let oldest = batch.last?.version else { return }
      try await receive(batch)
      left -= batch.count
      newest = Version(oldest.number - 1)
    } while left > 0
  }

  private static let logBatchCount = 256

  /// The first of some spellings of an id that names a present or former item of a list; the first
  /// spelling if none does.
  ///
  /// - Precondition: There is at least one spelling.
  public func itemID(among spellings: [ItemID], in list: ListName) async throws -> ItemID {
    try await store.read { reader in
      let keys = try reader.keys(of: spellings, in: reader.existingList(list).key)
      return zip(spellings, keys).first { $1 != nil }?.0 ?? spellings[0]
    }
  }

  /// Reads the changes of one item of a list, newest first, until the receiver returns false.
  ///
  /// - Throws: `ServiceError.noSuchItem` when no kept version contains or changes it.
  /// - Complexity: O(c log v) rows read for the item's own c changes and the list's v versions.
  public func history(
    of item: ItemID, in list: ListName,
    receive: @Sendable (ItemHistoryEntry) throws -> Bool
  ) async throws {
    try await store.read { reader in
      let list = try reader.existingList(list)
      guard let key = try reader.keys(of: [item], in: list.key)[0] else {
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

  /// The changes of one item of a list, newest first.
  ///
  /// - Parameters:
  ///   - item: its id.
  ///   - list: the name of the list.
  ///   - limit: the highest number of changes; 1 or more.
  /// - Throws: as ``history(of:in:receive:)``.
  public func history(
    of item: ItemID, in list: ListName, limit: Int = .max
  ) async throws -> [ItemHistoryEntry] {
    let entries = Mutex<[ItemHistoryEntry]>([])
    try await history(of: item, in: list) { entry in
      entries.withLock { entries in
        entries.append(entry)
        return entries.count < limit
      }
    }
    return entries.withLock { $0 }
  }
}

extension ListReader {
  /// Versions of a list, newest first.
  ///
  /// - Parameter newest: the first version; nil for the head.
  fileprivate func log(
    of name: ListName, from newest: Version?, count: Int
  ) throws -> [VersionRecord] {
    let list = try existingList(name)
    let newest = min(newest ?? list.head, list.head)
    let start = max(list.oldest, Version(max(0, newest.number - count + 1)))
    guard start <= newest else { return [] }
    return try records(of: start...newest, in: list).reversed()
  }
}
