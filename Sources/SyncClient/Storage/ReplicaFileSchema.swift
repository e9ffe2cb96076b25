import GRDB
import ListModel

/// The tables of a replica's file.
enum ReplicaFileSchema {
  /// "LSRC" in the header of the file.
  static let applicationID = 0x4C53_5243
  static let format = 1

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
    try db.execute(
      sql: """
        CREATE TABLE items (
          id TEXT NOT NULL UNIQUE,
          place INTEGER NOT NULL, -- the order of the list, sparse
          content BLOB NOT NULL -- canonical JSON
        );
        CREATE INDEX items_by_place ON items (place);
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(format);
        """)
    try CopyTables.prepare(db, source, ItemTable(ofFile: path))
  }
}
