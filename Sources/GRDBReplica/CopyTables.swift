import Foundation
import GRDB
import ListChanges
import ListDocuments
import ListModel
import SyncClient

/// The tables of an app's database that hold the copies beside the app's own tables of items.
///
///     listsync_copies   copies of lists, each with its table, state, signed head and revision
///     listsync_groups   hashes of groups of rows, by which changes are verified
///     listsync_edits    pending edits, as in a replica's file
///
/// The app's table shows the edited list. `to_copy` has the changes from its rows to the server's
/// list, where there are pending edits.
enum CopyTables {
  private static let tables = """
    CREATE TABLE IF NOT EXISTS listsync_copies (
      copy INTEGER PRIMARY KEY,
      server TEXT NOT NULL,
      list TEXT NOT NULL,
      items TEXT NOT NULL UNIQUE, -- the app's table
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
      is_sent INTEGER NOT NULL,
      base TEXT NOT NULL,
      mine BLOB NOT NULL,
      to_base BLOB NOT NULL,
      PRIMARY KEY (copy, stage)
    );
    """

  /// Creates the tables that are missing, and checks the app's table.
  ///
  /// - Returns: the number of the copy.
  /// - Throws: `ReplicaError.cannotOpen` when the app's table lacks a column, or has rows before
  ///   the first copy; `.otherSource`.
  static func prepare(_ db: Database, _ source: ReplicaSource, _ table: ItemTable) throws -> Int64 {
    try table.check(db)
    try db.execute(sql: tables)
    if let row = try Row.fetchOne(
      db, sql: "SELECT copy, server, list FROM listsync_copies WHERE items = ?",
      arguments: [table.name])
    {
      let found = "\(row["list"] as String) at \(row["server"] as String)"
      guard found == source.description else {
        throw ReplicaError.otherSource(
          path: table.name, found: found, expected: source.description)
      }
      return row["copy"]
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
    return db.lastInsertedRowID
  }
}
