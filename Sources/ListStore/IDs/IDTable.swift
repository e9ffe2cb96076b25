import ListChanges
import ListModel

/// The table in which a list finds its items by their ids, as an engine keeps it.
package protocol IDTable: ListReader {
  /// Whether the ids of all rows are in the table. They are not before a store is upgraded, and
  /// after a program of an older version has committed.
  func hasAllIDs(of list: ListKey) throws -> Bool

  /// The parts that may hold some hashes, each once, in ascending order.
  ///
  /// - Parameter hashes: ascending.
  func idParts(holding hashes: [UInt64], of list: ListKey) throws -> [IDPart]

  /// All parts, in ascending order.
  func idParts(of list: ListKey) throws -> [IDPart]

  /// The ids of all rows, in any order.
  func idEntries(of list: ListKey) throws -> [IDEntry]
}

extension IDTable {
  /// The keys of items, in the order of the ids; nil for an item that was never in the list.
  ///
  /// - Precondition: The ids of all rows are in the table.
  /// - Complexity: O(k log k) for k ids; at most one part is read for each.
  package func indexedKeys(of ids: [ItemID], in list: ListKey) throws -> [ItemKey?] {
    let hashes = ids.map(IDEntry.hash)
    let parts = try idParts(holding: Set(hashes).sorted(), of: list)
    var candidates: [(position: Int, key: ItemKey)] = []
    for (position, hash) in hashes.enumerated() {
      let part = parts.partitioningIndex { $0.last >= IDEntry.prefix(of: hash) }
      guard part < parts.count else { continue }
      for item in parts[part].items(hash) {
        candidates.append((position, ItemKey(list, sequence: item)))
      }
    }
    var keys: [ItemKey?] = Array(repeating: nil, count: ids.count)
    if candidates.isEmpty { return keys }
    for (candidate, id) in zip(candidates, try self.ids(of: candidates.map(\.key)))
    where id == ids[candidate.position] {
      keys[candidate.position] = candidate.key
    }
    return keys
  }

  /// What is wrong with the table; nil if it has exactly the ids of all rows.
  package func idFault(of list: ListKey) throws -> String? {
    guard try hasAllIDs(of: list) else { return nil }
    let entries = try idEntries(of: list).sorted()
    do {
      try checkDistinct(entries, of: list)
    } catch StoreError.duplicateItem {
      return "two of its items have the same id"
    }
    return try idParts(of: list).fault(comparedWith: entries)
  }

  /// - Parameter entries: ascending.
  /// - Throws: `StoreError.duplicateItem` if two of the items have the same id.
  package func checkDistinct(_ entries: [IDEntry], of list: ListKey) throws {
    for group in entries.likeGroups {
      let ids = try ids(of: group.map { ItemKey(list, sequence: $0.item) })
      guard Set(ids).count == ids.count else { throw StoreError.duplicateItem }
    }
  }
}

package protocol IDTableWriter: IDTable {
  /// Stores parts in place of those with the same keys.
  func write(_ parts: [IDPart], of list: ListKey) throws

  func removeIDParts(of list: ListKey) throws

  /// Records that the ids of all rows are in the table.
  func setHasAllIDs(of list: ListKey) throws
}

extension IDTableWriter {
  /// Adds the ids of items to the table.
  ///
  /// - Parameter new: ascending.
  /// - Complexity: O(k) for k entries; at most one part is read for each, and the parts that change
  ///   are written.
  package func add(_ new: [IDEntry], to list: ListKey) throws {
    if new.isEmpty { return }
    let old = try idParts(holding: new.map(\.hash), of: list)
    var rest = new[...]
    var changed: [IDPart] = []
    for part in old.isEmpty ? [IDPart(last: IDPart.lastPrefix, entries: [])] : old {
      let end = rest.partitioningIndex { $0.prefix > part.last }
      changed += part.adding(rest[..<end])
      rest = rest[end...]
    }
    guard rest.isEmpty else {
      throw StoreError.corrupt(reason: "the table of the ids of a list has no end")
    }
    try write(changed, of: list)
  }

  /// Makes the table of a list anew: when the store is upgraded, after a program of an older version
  /// has committed, and when rows were deleted.
  package func fillIDs(of list: ListKey) throws {
    try removeIDParts(of: list)
    try add(idEntries(of: list).sorted(), to: list)
    try setHasAllIDs(of: list)
  }

  /// Fills the tables of an upgraded store. A damaged store, which `verify` examines, keeps lists
  /// without one.
  package func fillIDsOfAllLists() throws {
    do {
      for list in try lists(.all) { try fillIDs(of: list.key) }
    } catch StoreError.corrupt {}
  }
}
