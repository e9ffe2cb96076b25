import ListChanges
import ListModel

/// What the row of a list says of the list's table of ids.
package struct IDTableRecord: Sendable {
  /// Whether the list never had an item. Its table may then have no part.
  package let isEmpty: Bool
  /// The sum of the digests of all parts.
  ///
  /// The sum tells of a part that is an older one, because a write of it was lost: such a part has
  /// a right digest, but lacks ids, and an item would come into the list twice.
  package let digestSum: Int64

  /// - Parameter nextChange: the number of the row to come.
  package init(nextChange: Int64, digestSum: Int64) {
    (isEmpty, self.digestSum) = (nextChange == 1, digestSum)
  }
}

/// The table in which a list finds its items by their ids, as an engine keeps it.
package protocol IDTable: ListReader, AnyObject {
  func idTableRecord(of list: ListKey) throws -> IDTableRecord

  /// The sum of the digests that the rows of all parts have.
  func idDigestSum(of list: ListKey) throws -> Int64

  /// The lists whose sum was compared in this transaction.
  var listsWithComparedIDs: Set<ListKey> { get set }

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
  /// - Throws: `StoreError.corrupt` when a part is missing, or is an older one.
  /// - Complexity: O(k log k) for k ids; at most one part is read for each. For the first id that
  ///   is not found in a transaction, the digests of all parts are added up: O(n / 100).
  package func foundKeys(of ids: [ItemID], in list: ListKey) throws -> [ItemKey?] {
    var keys: [ItemKey?] = Array(repeating: nil, count: ids.count)
    if try idTableRecord(of: list).isEmpty { return keys }
    let hashes = ids.map(IDEntry.hash)
    let parts = try idParts(holding: Set(hashes).sorted(), of: list)
    var candidates: [(position: Int, key: ItemKey)] = []
    for (position, hash) in hashes.enumerated() {
      for item in try parts.part(holding: hash).items(hash) {
        candidates.append((position, ItemKey(list, sequence: item)))
      }
    }
    if !candidates.isEmpty {
      willFindPlaces(of: candidates.map(\.key), in: list)
      for (candidate, id) in zip(candidates, try self.ids(of: candidates.map(\.key)))
      where id == ids[candidate.position] {
        keys[candidate.position] = candidate.key
      }
    }
    if keys.contains(nil), !listsWithComparedIDs.contains(list) {
      if let fault = try digestSumFault(of: list) { throw StoreError.corrupt(reason: fault) }
      listsWithComparedIDs.insert(list)
    }
    return keys
  }

  /// The fault of a table whose parts are not those that were written last; nil if they are.
  private func digestSumFault(of list: ListKey) throws -> String? {
    let sum = try idTableRecord(of: list).digestSum
    return try idDigestSum(of: list) == sum ? nil : "a part of the ids of a list is an older one"
  }

  /// The fault of the table; nil if it has exactly the ids of all rows.
  package func idFault(of list: ListKey) throws -> String? {
    if try idTableRecord(of: list).isEmpty { return nil }
    let entries = try idEntries(of: list).sorted()
    do {
      try checkDistinct(entries, of: list)
    } catch StoreError.duplicateItem {
      return "two of its items have the same id"
    }
    return try idParts(of: list).fault(comparedWith: entries) ?? digestSumFault(of: list)
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

  /// Removes all parts.
  func removeIDParts(of list: ListKey) throws

  /// The digest that the row of a part has.
  func digest(of part: IDPart, in list: ListKey) throws -> Int64

  /// Records the sum of the digests of all parts.
  func setDigestSum(_ sum: Int64, of list: ListKey) throws
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
    var sum = try digestSum(of: changed, in: list)
    if !isFirst {
      sum += try idTableRecord(of: list).digestSum - digestSum(of: old, in: list)
    }
    try write(changed, of: list)
    try setDigestSum(sum, of: list)
  }

  private func digestSum(of parts: [IDPart], in list: ListKey) throws -> Int64 {
    try parts.reduce(0) { try $0 + digest(of: $1, in: list) }
  }

  /// Makes the table of a list anew, after rows were deleted.
  package func fillIDs(of list: ListKey) throws {
    try removeIDParts(of: list)
    try add(idEntries(of: list).sorted(), to: list, isFirst: true)
  }
}
