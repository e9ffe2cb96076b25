import ListModel
import ListStore
import Synchronization

extension SyncService {
  /// The versions of a list, newest first.
  ///
  /// - Parameters:
  ///   - list: its name.
  ///   - before: only versions older than this one; nil for all.
  ///   - limit: the highest number of versions; nil for all.
  /// - Throws: `ServiceError.noSuchList`.
  public func log(
    of list: ListName, before: Version? = nil, limit: Int? = nil
  ) async throws -> [VersionRecord] {
    try await store.read { reader in
      let list = try reader.existingList(list)
      let newest = min(before.map { Version(max($0.number, 1) - 1) } ?? list.head, list.head)
      let start = max(list.oldest, Version(max(0, newest.number - (limit ?? .max) + 1)))
      guard start <= newest else { return [] }
      return try reader.records(of: start...newest, in: list).reversed()
    }
  }

  /// The first of some spellings of an id that names a present or former item of a list; the first
  /// spelling if none does.
  ///
  /// - Precondition: There is at least one spelling.
  public func itemID(among spellings: [ItemID], in list: ListName) async throws -> ItemID {
    try await store.read { reader in
      let list = try reader.existingList(list, for: [.ids(spellings), .texts])
      let keys = try reader.keys(of: spellings, in: list.key)
      return zip(spellings, keys).first { $1 != nil }?.0 ?? spellings[0]
    }
  }

  /// Reads the changes of one item of a list, newest first, until the receiver returns false.
  ///
  /// All are read in one transaction, which is open until the receiver has the last one: a receiver
  /// must not wait, such as for a reader of its output.
  ///
  /// - Parameters:
  ///   - item: its id.
  ///   - list: the name of the list.
  ///   - before: only the changes of older versions than this one; nil for all.
  ///   - onStart: called before the first change, and again if a store on a server has to begin
  ///     again: forget what was received.
  ///   - receive: gets the changes.
  /// - Throws: `ServiceError.noSuchItem` when no kept version contains or changes it.
  /// - Complexity: O(c) rows read for c changes of the item that are received.
  public func history(
    of item: ItemID, in list: ListName, before: Version? = nil, onStart: @Sendable () -> Void,
    receive: @Sendable (ItemChange) throws -> Bool
  ) async throws {
    try await store.read { reader in
      onStart()
      let list = try reader.existingList(list, for: [.ids([item]), .texts])
      let key = try reader.existingItem(item, of: list)
      try reader.history(of: key, in: list, before: before, receive: receive)
    }
  }

  /// The changes of one item of a list, newest first.
  ///
  /// - Parameters:
  ///   - before: only the changes of older versions than this one; nil for all.
  ///   - limit: the highest number of changes; 1 or more.
  ///   - item: its id.
  ///   - list: the name of the list.
  /// - Throws: as ``history(of:in:before:onStart:receive:)``.
  public func history(
    of item: ItemID, in list: ListName, before: Version? = nil, limit: Int = .max
  ) async throws -> [ItemChange] {
    let entries = Mutex<[ItemChange]>([])
    try await history(of: item, in: list, before: before) {
      entries.withLock { $0 = [] }
    } receive: { entry in
      entries.withLock { entries in
        entries.append(entry)
        return entries.count < limit
      }
    }
    return entries.withLock { $0 }
  }
}
