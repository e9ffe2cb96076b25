import Foundation
import GRDB
import ListChanges
import ListDocuments
import ListModel

/// The tables that hold copies of lists beside the tables of their items, in an app's database or
/// in a replica's file.
///
///     listsync_copies   copies of lists, each with its table, state, signed head and revision
///     listsync_groups   hashes of groups of rows, by which changes are verified
///     listsync_edits    pending edits
///
/// A table of items shows the edited list. `to_copy` has the changes from its rows to the server's
/// list, where there are pending edits.
package enum CopyTables {
  private static let tables = """
    CREATE TABLE IF NOT EXISTS listsync_copies (
      copy INTEGER PRIMARY KEY,
      server TEXT NOT NULL,
      list TEXT NOT NULL,
      items TEXT NOT NULL UNIQUE, -- the table of its items
      revision INTEGER NOT NULL, -- counts the changes of its rows and edits
      state TEXT NOT NULL, -- of the server's list, as `to` of a delta document
      note TEXT, -- its signed head, if a key was given
      given_key TEXT, -- that key
      present_key TEXT, -- the key that has taken over from it, or itself
      to_copy BLOB -- from the rows to the server's list, as in a delta document; NULL without edits
    );
    CREATE TABLE IF NOT EXISTS listsync_groups (
      number INTEGER PRIMARY KEY,
      copy INTEGER NOT NULL,
      first_place INTEGER NOT NULL,
      count INTEGER NOT NULL,
      hash BLOB NOT NULL,
      groups BLOB NOT NULL -- the groups below: place, count, hash, and 4 bytes of each item's hash
    );
    CREATE INDEX IF NOT EXISTS listsync_groups_by_place ON listsync_groups (copy, first_place);
    CREATE TABLE IF NOT EXISTS listsync_edits (
      copy INTEGER NOT NULL,
      stage INTEGER NOT NULL,
      tries INTEGER NOT NULL,
      base TEXT NOT NULL,
      mine BLOB NOT NULL,
      to_base BLOB NOT NULL,
      PRIMARY KEY (copy, stage)
    );
    """

  /// Creates the tables that are missing, and checks the app's table.
  ///
  /// - Throws: `ReplicaError.cannotOpen` when the app's table lacks a column, or has rows before
  ///   the first copy; `.otherSource`.
  package static func prepare(
    _ db: Database, _ source: ReplicaSource, _ table: ItemTable
  ) throws {
    try table.check(db)
    try db.execute(sql: tables)
    if let found = try self.source(db, of: table) {
      guard found == source else {
        throw ReplicaError.otherSource(
          path: table.name, found: found.description, expected: source.description)
      }
      return
    }
    let isEmpty = try Int.fetchOne(db, sql: "SELECT 1 FROM \(table.quotedName) LIMIT 1") == nil
    guard isEmpty else {
      throw ReplicaError.cannotOpen(
        path: table.name, reason: "the table has rows, and must begin without any")
    }
    try db.execute(
      sql: """
        INSERT INTO listsync_copies (server, list, items, revision, state) VALUES (?, ?, ?, 0, ?)
        """,
      arguments: [source.server, source.list.text, table.name, ListState.zero.document])
  }

  /// Removes a table's copy, and all rows of the table.
  package static func remove(_ db: Database, of table: ItemTable) throws {
    if try db.tableExists("listsync_copies") {
      for name in ["listsync_groups", "listsync_edits"] {
        try db.execute(
          sql: """
            DELETE FROM \(name) WHERE copy IN (SELECT copy FROM listsync_copies WHERE items = ?)
            """, arguments: [table.name])
      }
      try db.execute(sql: "DELETE FROM listsync_copies WHERE items = ?", arguments: [table.name])
    }
    try db.execute(sql: "DELETE FROM \(table.quotedName)")
  }

  /// The list and server of a table's copy; nil without one.
  static func source(_ db: Database, of table: ItemTable) throws -> ReplicaSource? {
    let row = try Row.fetchOne(
      db, sql: "SELECT server, list FROM listsync_copies WHERE items = ?", arguments: [table.name])
    guard let row else { return nil }
    guard let server = row.value("server", String.self),
      let list = row.value("list", String.self).flatMap({ ListName($0) })
    else {
      throw ReplicaError.damagedFile(
        path: table.name, reason: "it does not say what it is a copy of")
    }
    return ReplicaSource(server: server, list: list)
  }
}
