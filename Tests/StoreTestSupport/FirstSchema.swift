import Foundation
import GRDB
import TestSupport

/// Stores as the first schema left them.
package enum FirstSchema {
  /// Makes a store of the first schema with the history of one of the second: its rows turned back
  /// into those of the first one.
  ///
  /// - Precondition: The history was not pruned.
  package static func write(_ test: TestStore, to path: String) async throws {
    let old = try DatabaseQueue(path: path)
    let sql = try String(
      contentsOf: Project.root.appendingPathComponent("Migrations/0001_create.sql"),
      encoding: .utf8)
    try await old.writeWithoutTransaction { db in
      try db.execute(sql: sql)
      try db.execute(
        sql: """
          CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
          INSERT INTO grdb_migrations VALUES ('0001_create');
          """)
      try db.execute(sql: "ATTACH ? AS new", arguments: [test.path])
      try db.execute(sql: Self.downgrade)
      try db.execute(sql: "DETACH new")
    }
    try old.close()
  }

  private static let downgrade = """
    INSERT INTO lists SELECT list_id, name, head, oldest, id_rule FROM new.lists;
    INSERT INTO versions
    SELECT list_id, version, list_id << 40 | first_change,
      coalesce(
        (SELECT n.first_change FROM new.versions AS n WHERE n.version_id = v.version_id + 1),
        (SELECT next_change FROM new.lists AS l WHERE l.list_id = v.list_id)) - first_change,
      committed_at, author, message, item_count, removed, moved, inserted, updated, checksum, chain
    FROM new.versions AS v;
    INSERT INTO changes
    SELECT
      list_id << 40 | sequence, list_id,
      CASE kind WHEN 3 THEN 1 WHEN 2 THEN 2 WHEN 1 THEN 3 ELSE 4 END,
      list_id << 40 | coalesce(item, sequence), id,
      iif(kind = 0, coalesce(old_index, new_index), old_index), new_index,
      list_id << 40 | old_content,
      iif(kind = 3, NULL, list_id << 40 | coalesce(new_content, sequence)), content
    FROM (SELECT *, change_id & 4294967295 AS sequence FROM new.changes);
    """
}
