import ListChanges
import ListModel

/// Which ids of a list its table has.
package enum IDTableState {
  /// The list never had an item.
  case empty
  case whole
  /// The store was not upgraded, or a program of an older version has committed.
  case behind

  /// - Parameters:
  ///   - nextIndexed: the first row whose id is not in the table.
  ///   - nextChange: the row to come.
  package init(nextIndexed: Int64, nextChange: Int64) {
    self = nextIndexed != nextChange ? .behind : nextChange == 1 ? .empty : .whole
  }
}

/// The table in which a list finds its items by their ids, as an engine keeps it.
package protocol IDTable: ListReader {
  func idTableState(of list: ListKey) throws -> IDTableState

  /// The keys of items by the ids in all rows.
  func scannedKeys(of ids: [ItemID], in list: ListKey) throws -> [ItemKey?]

  /// The parts that may hold some hashes, as far as they are there; each once, in ascending order.
  ///
  /// - Parameter hashes: ascending.
  func idParts(holding hashes: [UInt64], of list: ListKey) throws -> [IDPart]

  /// All parts, in ascending order.
  func idParts(of list: ListKey) throws -> [IDPart]

  /// Says that the ids of items are asked for next, and then their places in the head.
  func willFindPlaces(of items: [ItemKey], in list: ListKey)

  /// The ids of all rows, in any order.
  func idEntries(of list: ListKey) throws -> [IDEntry]
}

extension IDTable {
  package func willFindPlaces(of items: [ItemKey], in list: ListKey) {}

  /// The keys of items, in the order of the ids; nil for an item that was never in the list.
  ///
  /// - Complexity: O(k log k) for k ids; at most one part is read for each.
  package func foundKeys(of ids: [ItemID], in list: ListKey) throws -> [ItemKey?] {
    var keys: [ItemKey?] = Array(repeating: nil, count: ids.count)
    switch try idTableState(of: list) {
    case .empty: return keys
    case .behind: return try scannedKeys(of: ids, in: list)
    case .whole: break
    }
    let hashes = ids.map(IDEntry.hash)
    let parts = try idParts(holding: Set(hashes).sorted(), of: list)
    var candidates: [(position: Int, key: ItemKey)] = []
    for (position, hash) in hashes.enumerated() {
      for item in try parts.part(holding: hash).items(hash) {
        candidates.append((position, ItemKey(list, sequence: item)))
      }
    }
    if candidates.isEmpty { return keys }
    willFindPlaces(of: candidates.map(\.key), in: list)
    for (candidate, id) in zip(candidates, try self.ids(of: candidates.map(\.key)))
    where id == ids[candidate.position] {
      keys[candidate.position] = candidate.key
    }
    return keys
  }

  /// The fault of the table; nil if it has exactly the ids of all rows.
  package func idFault(of list: ListKey) throws -> String? {
    guard case .whole = try idTableState(of: list) else { return nil }
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
  /// - Parameters:
  ///   - new: ascending.
  ///   - list: their list.
  ///   - isFirst: whether the table is empty.
  /// - Complexity: O(k) for k entries; at most one part is read for each, and the parts that change
  ///   are written.
  package func add(_ new: [IDEntry], to list: ListKey, isFirst: Bool) throws {
    if new.isEmpty, !isFirst { return }
    let old = try isFirst ? [.empty] : idParts(holding: new.map(\.hash), of: list)
    var rest = new[...]
    var changed: [IDPart] = []
    for part in old {
      let end = rest.partitioningIndex { $0.prefix > part.last }
      // Fails if the part that the entry belongs to is missing.
      if end > rest.startIndex { _ = try [part].part(holding: rest[rest.startIndex].hash) }
      changed += part.adding(rest[..<end])
      rest = rest[end...]
    }
    if let entry = rest.first { _ = try [IDPart]().part(holding: entry.hash) }
    try write(changed, of: list)
  }

  /// Makes the table of a list anew: when the store is upgraded, after a program of an older
  /// version has committed, and when rows were deleted.
  package func fillIDs(of list: ListKey) throws {
    try removeIDParts(of: list)
    try add(idEntries(of: list).sorted(), to: list, isFirst: true)
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
