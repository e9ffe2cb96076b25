/// The tables of an export, which Documentation/SQL.md describes.
enum ExportSchema {
  /// The number that marks a file as an export: "LSX1" in the file's header.
  static let applicationID = 0x4C53_5831
  /// The format of the tables.
  static let format = 1
  /// The `until` of a row that the newest version has: more than any version. A double holds it
  /// exactly.
  static let open = 4_294_967_295

  /// A version's rows sort by `place`. Their indexes serve, in this order: a version, the head, an
  /// item, and the changes of a version.
  static let sql = """
    CREATE TABLE items (
      list TEXT NOT NULL, place INTEGER NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL,
      id TEXT NOT NULL, content TEXT NOT NULL);
    CREATE INDEX items_by_place ON items (list, place, since, until);
    CREATE INDEX items_of_head ON items (list, place) WHERE until = \(open);
    CREATE INDEX items_by_id ON items (list, id, since);
    CREATE INDEX items_by_since ON items (list, since);
    CREATE INDEX items_by_until ON items (list, until) WHERE until < \(open);
    CREATE TABLE versions (
      list TEXT NOT NULL, version INTEGER NOT NULL, cursor TEXT NOT NULL, root TEXT NOT NULL,
      committed_at TEXT NOT NULL, author TEXT, message TEXT, item_count INTEGER NOT NULL,
      removed INTEGER, moved INTEGER, inserted INTEGER, updated INTEGER,
      PRIMARY KEY (list, version)) WITHOUT ROWID;
    CREATE VIEW lists AS
      SELECT list, oldest, version, cursor, root, committed_at, item_count
      FROM (
        SELECT list, min(version) AS oldest, max(version) AS version FROM versions GROUP BY list)
      JOIN versions USING (list, version);
    CREATE VIEW head AS
      SELECT list, row_number() OVER (PARTITION BY list ORDER BY place) - 1 AS at_index, id, content
      FROM items WHERE until = \(open);
    CREATE VIEW item_history AS
      SELECT items.list, id, since, began.committed_at AS began_at, began.author, began.message,
        until, ended.committed_at AS ended_at, place, content
      FROM items
      JOIN versions AS began ON began.list = items.list AND began.version = since
      LEFT JOIN versions AS ended ON ended.list = items.list AND ended.version = until;
    CREATE VIEW changes AS
      SELECT new.list, new.since AS version, CASE
          WHEN old.id IS NULL THEN 'inserted' WHEN old.place = new.place THEN 'updated'
          WHEN old.content = new.content THEN 'moved' ELSE 'moved and updated' END AS change,
        new.id, old.content AS old_content, new.content AS new_content
      FROM items AS new
      LEFT JOIN items AS old ON old.list = new.list AND old.id = new.id AND old.until = new.since
      WHERE old.id IS NOT NULL OR new.since = 1
        OR new.since > (SELECT min(version) FROM versions WHERE list = new.list)
      UNION ALL
      SELECT old.list, old.until, 'removed', old.id, old.content, NULL
      FROM items AS old
      WHERE old.until < \(open) AND NOT EXISTS (
        SELECT 1 FROM items AS new
        WHERE new.list = old.list AND new.id = old.id AND new.since = old.until);
    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(format);
    """
}
