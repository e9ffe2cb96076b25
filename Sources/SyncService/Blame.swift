import ListChanges
import ListModel
import ListStore

/// The version that last set a member of an item, or a whole item.
public struct Attribution: Equatable, Sendable {
  /// The version that set it; nil if that version was pruned.
  public let record: VersionRecord?
  /// How often kept versions changed it. The version that inserted it does not count.
  public let changeCount: Int
}

extension SyncService {
  /// The members of an item of the head, each with its value and the version that set it.
  ///
  /// The members of nested objects come one by one, arrays as a whole. A content that is not an
  /// object is one member with an empty path.
  ///
  /// - Throws: `ServiceError.itemAbsent` when the head has no such item; `.noSuchList`.
  /// - Complexity: O(c) rows read for the item's c changes, and their members each once.
  public func blame(
    _ item: ItemID, in list: ListName
  ) async throws -> [(path: JSONPointer, value: Content, by: Attribution)] {
    try await store.read { reader in
      let list = try reader.existingList(list, for: [.ids([item]), .texts])
      var head = try Head(of: list, in: reader)
      let content = ContentView(try head.item(item).content)
      let leaves = content.leaves()
      guard let key = try reader.keys(of: [item], in: list.key)[0] else {
        throw ServiceError.itemAbsent(item, list: list.name, wasRemoved: false, edit: nil)
      }
      var setters: [JSONPointer: VersionRecord] = [:]
      var counts: [JSONPointer: Int] = [:]
      try reader.history(of: key, in: list) { change in
        guard change.from != nil, change.to != nil else {
          // An insertion sets what no later version has set. Before it, there was another item.
          for leaf in leaves where setters[leaf.path] == nil { setters[leaf.path] = change.record }
          return false
        }
        guard let old = change.oldContent, let new = change.newContent else { return true }
        content.forEachLeaf(changedFrom: ContentView(old), to: ContentView(new)) { path in
          counts[path, default: 0] += 1
          if setters[path] == nil { setters[path] = change.record }
        }
        return true
      }
      return leaves.map { path, value in
        (path, value, Attribution(record: setters[path], changeCount: counts[path] ?? 0))
      }
    }
  }

  /// The items of the head in its order, each with the version that inserted or last updated it. A
  /// move is no update.
  ///
  /// - Throws: `ServiceError.noSuchList`.
  /// - Complexity: O(n + c) for n items and the c changes of all kept versions.
  public func blame(_ list: ListName) async throws -> [(item: Item, by: Attribution)] {
    try await store.read { reader in
      let list = try reader.existingList(list)
      var last: [ItemKey: (version: Version, changeCount: Int)] = [:]
      try reader.forEachStep(of: list) { version, changes in
        for removal in changes.removed { last[removal.element.id] = nil }
        for insertion in changes.inserted { last[insertion.element.id] = (version, 0) }
        for update in changes.updated {
          last[update.new.id] = (version, (last[update.new.id]?.changeCount ?? 0) + 1)
        }
      }
      let stored = try reader.storedItems(at: list.head, of: list)
      let items = try reader.checkedItems(stored)
      let records =
        try list.head == .zero ? [] : reader.records(of: list.oldest...list.head, in: list)
      return zip(stored, items).map { key, item in
        let entry = last[key.id]
        let record = entry.map { records[$0.version.number - list.oldest.number] }
        return (item, Attribution(record: record, changeCount: entry?.changeCount ?? 0))
      }
    }
  }
}

extension ContentView {
  /// The values that are not objects with members, with their paths, in canonical order.
  fileprivate func leaves(
    at path: JSONPointer = JSONPointer(tokens: [])
  ) -> [(path: JSONPointer, value: Content)] {
    let members = members
    guard !members.isEmpty else { return [(path, content)] }
    return members.flatMap { $0.value.leaves(at: path.appending($0.name)) }
  }

  /// Passes the paths of the leaves whose values differ between two other contents to a receiver.
  ///
  /// - Complexity: O(members of all three).
  fileprivate func forEachLeaf(
    changedFrom old: ContentView?, to new: ContentView?,
    at path: JSONPointer = JSONPointer(tokens: []), _ receive: (JSONPointer) -> Void
  ) {
    let members = members
    guard !members.isEmpty else {
      if old?.content != new?.content { receive(path) }
      return
    }
    let olds = Self.counterparts(of: members, in: old)
    let news = Self.counterparts(of: members, in: new)
    for (member, (old, new)) in zip(members, zip(olds, news)) where old != nil || new != nil {
      member.value.forEachLeaf(
        changedFrom: old, to: new, at: path.appending(member.name), receive)
    }
  }

  /// The values of the members of another object with the same names, in the same order; nil where
  /// it lacks one, or is no object.
  private static func counterparts(of members: Members, in other: ContentView?) -> [ContentView?] {
    pairs(of: members, other?.members ?? []).filter { $0.old != nil }.map(\.new)
  }
}
