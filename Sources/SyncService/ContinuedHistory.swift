import ListModel
import ListStore

extension SyncService {
  /// Reads the changes of one item, newest first, as ``history(of:in:before:onStart:receive:)``
  /// does. The history goes on with the id that the item had before, as far as versions say so
  /// with `SameItem`. Changes under another id have an `ItemChange/formerID`.
  ///
  /// An id can have named several items in turn. All changes of an id are passed, each once, and
  /// those of the former ids among them by version.
  ///
  /// - Complexity: as that function, and memory for the changes before the version that gave the
  ///   item its id.
  public func continuedHistory(
    of item: ItemID, in list: ListName, onStart: @Sendable () -> Void,
    receive: @Sendable (ItemChange) throws -> Bool
  ) async throws {
    try await store.read { reader in
      onStart()
      let list = try reader.existingList(list, for: [.ids([item]), .texts])
      guard let key = try reader.keys(of: [item], in: list.key)[0] else {
        throw ServiceError.noSuchItem(item, list: list.name)
      }
      var former: (id: ItemID, version: Version)?
      try reader.history(of: key, in: list) { change in
        guard try receive(change) else { return false }
        former = change.id(before: item).map { ($0, change.record.version) }
        return former == nil
      }
      guard let former else { return }
      var collector = FormerChanges(list: list, reader: reader, item: item)
      try collector.add(of: item, before: former.version)
      try collector.add(of: former.id, before: former.version)
      for change in collector.sorted() {
        guard try receive(change) else { return }
      }
    }
  }
}

extension ItemChange {
  /// The id that an item had before the change; nil if it had none or the same.
  fileprivate func id(before item: ItemID) -> ItemID? {
    guard from == nil else { return nil }
    return record.note.sameItems.first { $0.new == item }?.old
  }
}

/// The changes of some ids, each once.
private struct FormerChanges {
  private let list: ListRecord
  private let reader: ListReader
  private let item: ItemID
  private var changes: [ItemID: [Version: ItemChange]] = [:]

  init(list: ListRecord, reader: ListReader, item: ItemID) {
    (self.list, self.reader, self.item) = (list, reader, item)
  }

  /// Adds the changes of an id before a version, and of the ids that its items had before.
  mutating func add(of id: ItemID, before version: Version) throws {
    var open = [(id: id, version: version)]
    while let (id, version) = open.popLast() {
      guard let key = try reader.keys(of: [id], in: list.key)[0] else { continue }
      try reader.history(of: key, in: list, before: version) { change in
        // Older changes of this id are known too.
        if changes[id]?[change.record.version] != nil { return false }
        var change = change
        if id != item { change.formerID = id }
        changes[id, default: [:]][change.record.version] = change
        if let former = change.id(before: id) { open.append((former, change.record.version)) }
        return true
      }
    }
  }

  /// The newest first. A version that gave an item its id has the insertion before the removal of
  /// the former id.
  func sorted() -> [ItemChange] {
    changes.values.flatMap(\.values).sorted { a, b in
      if a.record.version != b.record.version { return a.record.version > b.record.version }
      if (a.from == nil) != (b.from == nil) { return a.from == nil }
      return (a.formerID ?? "") < (b.formerID ?? "")
    }
  }
}
