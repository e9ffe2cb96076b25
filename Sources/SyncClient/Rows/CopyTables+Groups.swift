import Foundation
import GRDB
import ListDocuments
import ListModel
import RawSQLite

extension CopyTables {
  package static func revision(_ db: Database, of copy: Int64) throws -> Int64? {
    try Int64.fetchOne(
      db.cachedStatement(sql: "SELECT revision FROM listsync_copies WHERE copy = ?"),
      arguments: [copy])
  }

  /// The parts of a copy, in order.
  static func parts(_ db: Database, of copy: Int64) throws -> [TableRows.Part] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT number, first_place, count, hash FROM listsync_groups WHERE copy = ?
          ORDER BY first_place
          """),
      arguments: [copy]
    ).map { row in
      guard let number = row.value("number", Int64.self),
        let place = row.value("first_place", Int64.self), SparsePlaces.range.contains(place),
        let count = row.value("count", Int32.self), count > 0,
        let hash = row.value("hash", Data.self).flatMap({ TreeHash(bytes: Array($0)) })
      else {
        throw ReplicaError.damagedFile(
          path: "listsync_groups", reason: "a group lacks its place, its count or its hash")
      }
      return TableRows.Part(number: number, firstPlace: place, count: Int(count), hash: hash)
    }
  }

  /// The groups of level 1 in a part.
  static func groups(_ db: Database, of part: TableRows.Part) throws -> [TableRows.Group] {
    let data = try Data.fetchOne(
      db.cachedStatement(sql: "SELECT groups FROM listsync_groups WHERE number = ?"),
      arguments: [part.number])
    guard let data, let groups = GroupCoding.read(Array(data)) else {
      throw ReplicaError.damagedFile(
        path: "listsync_groups", reason: "the groups of a part are not readable")
    }
    let nodes = groups.map(\.node)
    // The only group of a short list is not in a group of level 2.
    guard nodes.reduce(0, { $0 + $1.itemCount }) == part.count,
      RootNode(groups: nodes, level: 2).hash == part.hash
        || (nodes.count == 1 && nodes[0].hash == part.hash)
    else {
      throw ReplicaError.damagedFile(
        path: "listsync_groups", reason: "a part has other groups than its hash and count say")
    }
    return groups
  }

  static func write(
    _ db: Database, _ part: inout TableRows.Part, _ groups: [TableRows.Group], of copy: Int64
  ) throws {
    let (hash, data) = (Data(part.hash.bytes), Data(GroupCoding.bytes(groups)))
    guard let number = part.number else {
      try db.cachedStatement(
        sql: """
          INSERT INTO listsync_groups (copy, first_place, count, hash, groups)
          VALUES (?, ?, ?, ?, ?)
          """
      ).execute(arguments: [copy, part.firstPlace, part.count, hash, data])
      part.number = db.lastInsertedRowID
      return
    }
    try db.cachedStatement(
      sql: """
        UPDATE listsync_groups SET first_place = ?, count = ?, hash = ?, groups = ?
        WHERE number = ?
        """
    ).execute(arguments: [part.firstPlace, part.count, hash, data, number])
  }

  static func deleteGroup(_ db: Database, _ number: Int64) throws {
    try db.cachedStatement(sql: "DELETE FROM listsync_groups WHERE number = ?")
      .execute(arguments: [number])
  }
}

/// Groups of level 1 as bytes: for each one its count in 2 bytes, the place of its first row in 8,
/// its hash in 32, and the marks of its items in 4 each. Numbers are little-endian.
enum GroupCoding {
  static func bytes(_ groups: [TableRows.Group]) -> [UInt8] {
    var bytes: [UInt8] = []
    for group in groups {
      append(UInt16(group.node.itemCount), to: &bytes)
      append(group.firstPlace, to: &bytes)
      bytes += group.node.hash.bytes
      for mark in group.marks { append(mark, to: &bytes) }
    }
    return bytes
  }

  /// Nil for other bytes.
  static func read(_ bytes: [UInt8]) -> [TableRows.Group]? {
    var rest = bytes[...]
    var groups: [TableRows.Group] = []
    while !rest.isEmpty {
      guard let count = take(UInt16.self, from: &rest), let place = take(Int64.self, from: &rest),
        SparsePlaces.range.contains(place), rest.count >= 32 + 4 * Int(count),
        let hash = TreeHash(bytes: rest.prefix(32))
      else { return nil }
      rest = rest.dropFirst(32)
      let marks = (0..<count).compactMap { _ in take(UInt32.self, from: &rest) }
      groups.append(
        TableRows.Group(
          node: RootNode(level: 1, itemCount: Int(count), hash: hash), firstPlace: place,
          marks: marks))
    }
    return groups
  }

  private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }

  private static func take<Number: FixedWidthInteger>(
    _ type: Number.Type, from bytes: inout ArraySlice<UInt8>
  ) -> Number? {
    let size = Number.bitWidth / 8
    guard bytes.count >= size else { return nil }
    defer { bytes = bytes.dropFirst(size) }
    return bytes.prefix(size).reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }
}
