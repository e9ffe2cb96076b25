import GRDB
import ListDocuments
import ListModel

/// The tables of a replica's file.
enum ReplicaFileSchema {
  /// "LSRC" in the header of the file.
  static let applicationID = 0x4C53_5243
  static let format = 1

  private static let tables = """
    CREATE TABLE replica (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      server TEXT NOT NULL,
      list TEXT NOT NULL,
      state TEXT NOT NULL, -- as `to` of a delta document: its header proves it
      next_number INTEGER NOT NULL,
      part_order BLOB NOT NULL,
      note TEXT, -- the signed head of the state, if a key was given
      given_key TEXT, -- that key
      present_key TEXT -- the key that has taken over from it, or itself
    );
    CREATE TABLE items (
      key INTEGER PRIMARY KEY,
      id TEXT NOT NULL,
      content BLOB NOT NULL
    );
    CREATE TABLE parts (
      part INTEGER PRIMARY KEY,
      keys BLOB NOT NULL
    );
    CREATE TABLE edits (
      stage INTEGER PRIMARY KEY, -- 1, and 2 for edits that follow sent ones
      is_sent INTEGER NOT NULL, -- whether the server may have them
      base TEXT NOT NULL, -- the list that they were made of
      mine BLOB NOT NULL, -- from the base to the edited list, as in a delta document
      to_base BLOB NOT NULL -- from the copy, or the list of stage 1, to the base
    );
    """

  /// Whether a file is a replica's: false for an empty one.
  ///
  /// - Throws: `ReplicaError.newerFile`, `.foreignFile`.
  static func isReplica(_ db: Database, path: String) throws -> Bool {
    let application = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    let format = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    if application == applicationID {
      guard format <= Self.format else {
        throw ReplicaError.newerFile(path: path, format: format, known: Self.format)
      }
      return true
    }
    let isEmpty = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0
    guard application == 0, format == 0, isEmpty else {
      throw ReplicaError.foreignFile(path: path)
    }
    return false
  }

  /// Creates the tables of an empty copy in an empty file, within the transaction of the first
  /// save.
  static func createIfEmpty(_ db: Database, _ source: ReplicaSource, path: String) throws {
    if try isReplica(db, path: path) { return }
    try db.execute(sql: tables)
    try db.execute(
      sql: "INSERT INTO replica VALUES (1, ?, ?, ?, 1, x'', NULL, NULL, NULL)",
      arguments: [source.server, source.list.text, ListState.zero.document])
    try db.execute(sql: "PRAGMA application_id = \(applicationID)")
    try db.execute(sql: "PRAGMA user_version = \(format)")
  }
}
