import Foundation
import GRDB
import ListChanges
import ListDocuments
import ListModel
import RawSQLite

/// The rows of an app's table in one of its states.
///
/// It holds a number, a place, a count and a hash for each group of level 2, about 1,000 rows. What
/// is read of smaller groups (about 33 rows) is compared with their hashes, and kept.
package final class TableRows: StoredRows, @unchecked Sendable {
  /// A group of level 2 or, of a short list, its only group.
  struct Part {
    /// Its row in `listsync_groups`; nil before it is written.
    var number: Int64?
    var firstPlace: Int64
    var count: Int
    var hash: TreeHash
  }

  /// A group of level 1.
  struct Group {
    let node: RootNode
    /// The place of its first row.
    var firstPlace: Int64
    /// The first 4 bytes of each item's hash, which name changed items; empty if not known yet.
    var marks: [UInt32] = []
  }

  package enum Access {
    case reader(any DatabaseReader)
    /// The transaction in which everything happens.
    case transaction(Database)
  }

  let table: ItemTable
  let copy: Int64
  package let revision: Int64
  let parts: [Part]
  /// The first row of each part, and the number of all rows.
  let starts: [Int]
  package let tree: RootTree
  private let access: Access
  /// Guards what was read.
  private let lock = NSLock()
  private var groups: [Int: [Group]] = [:]
  /// The groups that were read, by their nodes.
  private var known: [ObjectIdentifier: Group] = [:]
  private var items: [Int: [PlacedItem]] = [:]

  init(
    _ table: ItemTable, copy: Int64, revision: Int64, parts: [Part], _ access: Access
  ) throws {
    (self.table, self.copy, self.revision) = (table, copy, revision)
    (self.parts, self.access) = (parts, access)
    starts = parts.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
    if parts.isEmpty {
      tree = .empty
    } else if parts.count > 1 {
      let nodes = parts.map { RootNode(level: 2, itemCount: $0.count, hash: $0.hash) }
      tree = RootTree(above: nodes, level: 2)
    } else {
      let groups = try Self.read(access, revision: revision, copy) { db in
        try CopyTables.groups(db, of: parts[0])
      }
      self.groups[0] = groups
      for group in groups { known[ObjectIdentifier(group.node)] = group }
      let nodes = groups.map(\.node)
      tree = RootTree(nodes.count == 1 ? nodes[0] : RootNode(groups: nodes, level: 2))
    }
  }

  private init(_ rows: TableRows, _ access: Access) {
    (table, copy, revision, self.access) = (rows.table, rows.copy, rows.revision, access)
    (parts, starts, tree) = (rows.parts, rows.starts, rows.tree)
    // The rows of groups are read again, so that no change of them is missed.
    (groups, known) = rows.lock.withLock { (rows.groups, rows.known) }
  }

  /// The same rows, read in another way.
  func over(_ access: Access) -> TableRows { TableRows(self, access) }
}

// MARK: Reading

extension TableRows {
  /// Reads in a transaction that sees these rows.
  private static func read<Value>(
    _ access: Access, revision: Int64, _ copy: Int64, _ body: (Database) throws -> Value
  ) throws -> Value {
    switch access {
    case .transaction(let db): return try body(db)
    case .reader(let reader):
      return try reader.read { db in
        guard try CopyTables.revision(db, of: copy) == revision else { throw StaleRows() }
        return try body(db)
      }
    }
  }

  private func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    do {
      return try Self.read(access, revision: revision, copy, body)
    } catch let error as DatabaseError {
      guard case .reader = access else { throw error }
      // Outside of a transaction of the app, it ends an update.
      throw ReplicaError.notSaved(
        reason: "\(table.name): \(error.reason)", cause: error.obstacle)
    }
  }

  package func groups(from row: Int) throws -> [RootNode] {
    try groups(ofPart: position(of: row)).map(\.node)
  }

  /// The groups in a part.
  func groups(ofPart position: Int) throws -> [Group] {
    if let known = lock.withLock({ groups[position] }) { return known }
    // Without the lock: a transaction that needs it may keep the reader waiting.
    let found = try read { try CopyTables.groups($0, of: parts[position]) }
    return lock.withLock {
      if let known = groups[position] { return known }
      groups[position] = found
      for group in found { known[ObjectIdentifier(group.node)] = group }
      return found
    }
  }

  /// Whether a node is a group of level 1 of these rows.
  func knows(_ node: RootNode) -> Bool { lock.withLock { known[ObjectIdentifier(node)] != nil } }

  /// The group of a node; a new one, which lacks place and marks, if it is none of these rows.
  func group(_ node: RootNode) -> Group {
    lock.withLock { known[ObjectIdentifier(node)] } ?? Group(node: node, firstPlace: 0)
  }

  /// The position of the part that has a row; the number of parts for the end of the rows.
  private func position(of row: Int) -> Int { starts.partitioningIndex { $0 > row } - 1 }

  /// The positions of the parts that have some rows.
  func positions(of rows: Range<Int>) -> Range<Int> {
    position(of: rows.lowerBound)..<position(of: rows.upperBound)
  }

  package func items(at ranges: [Range<Int>]) throws -> [Item] {
    try placedItems(at: ranges).map(\.item)
  }

  /// The rows of ascending ranges, with their places.
  func placedItems(at ranges: [Range<Int>]) throws -> [PlacedItem] {
    // Of a long range nothing is kept.
    let keeps = ranges.reduce(0) { $0 + $1.count } < 1 << 13
    var found: [PlacedItem] = []
    for range in ranges {
      var row = range.lowerBound
      while row < range.upperBound {
        let (rows, start) = try group(holding: row, keeps: keeps)
        let end = min(range.upperBound, start + rows.count)
        found += rows[row - start..<end - start]
        row = end
      }
    }
    return found
  }

  package func row(of id: ItemID) throws -> Int? {
    guard let place = try read({ try table.place($0, of: id) }) else { return nil }
    guard !parts.isEmpty else {
      throw ReplicaError.changedRows(
        table: table.title, ids: [id], reason: "it has a row of '\(id)', and the list has no items")
    }
    let position = max(0, parts.partitioningIndex { $0.firstPlace > place } - 1)
    var start = starts[position]
    var row = start
    for group in try groups(ofPart: position) {
      if group.firstPlace <= place { row = start }
      start += group.node.itemCount
    }
    let (rows, first) = try group(holding: row, keeps: true)
    return rows.firstIndex { $0.item.id == id }.map { first + $0 }
  }

  /// The rows of the group of level 1 that holds a row, and its first one.
  private func group(holding row: Int, keeps: Bool) throws -> ([PlacedItem], start: Int) {
    let position = position(of: row)
    let groups = try groups(ofPart: position)
    var (start, number) = (starts[position], 0)
    while start + groups[number].node.itemCount <= row {
      start += groups[number].node.itemCount
      number += 1
    }
    if let known = lock.withLock({ items[start] }) { return (known, start) }
    let next =
      number + 1 < groups.count
      ? groups[number + 1].firstPlace
      : position + 1 < parts.count ? parts[position + 1].firstPlace : nil
    let first = start == 0 ? nil : groups[number].firstPlace
    let rows = try read { try table.rows($0, from: first, to: next) }
    try check(rows, groups[number])
    if keeps { lock.withLock { items[start] = rows } }
    return (rows, start)
  }

  /// Whether rows are those of a group.
  private func check(_ rows: [PlacedItem], _ group: Group) throws {
    let hashes = RootTree.hashes(of: rows.map(\.item))
    if RootNode(items: hashes).hash == group.node.hash, rows.count == group.node.itemCount {
      return try checkPlaces(rows)
    }
    // Items whose mark the group does not have were changed or inserted.
    var marks = group.marks.reduce(into: [UInt32: Int]()) { $0[$1, default: 0] += 1 }
    var ids: [ItemID] = []
    for (row, hash) in zip(rows, hashes) {
      if let count = marks[hash.mark], count > 0 {
        marks[hash.mark] = count - 1
      } else {
        ids.append(row.item.id)
      }
    }
    let missing = max(0, group.node.itemCount - rows.count)
    throw ReplicaError.changedRows(
      table: table.title, ids: ids, reason: Self.reason(ids, missing, rows))
  }

  /// Whether places ascend, and are such as a replica gives: between two others there is then room,
  /// or can be made.
  private func checkPlaces(_ rows: [PlacedItem]) throws {
    var last = SparsePlaces.range.lowerBound - 1
    for row in rows {
      guard last < row.place, SparsePlaces.range.contains(row.place) else {
        throw ReplicaError.changedRows(
          table: table.title, ids: [row.item.id],
          reason: "it has another place of '\(row.item.id)'")
      }
      last = row.place
    }
  }

  private static func reason(_ ids: [ItemID], _ missing: Int, _ rows: [PlacedItem]) -> String {
    var parts: [String] = []
    if !ids.isEmpty {
      parts.append("it has other contents of " + ids.map { "'\($0)'" }.joined(separator: ", "))
    }
    let place = rows.first.map { " near '\($0.item.id)'" } ?? ""
    if missing > 0 { parts.append("\(missing) of its rows are missing\(place)") }
    return parts.isEmpty
      ? "its rows have another order\(place)" : parts.joined(separator: ", and ")
  }
}

extension TreeHash {
  /// The first 4 bytes.
  var mark: UInt32 { bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
}
