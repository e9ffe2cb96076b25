import Migrations

/// The migrations of a later version of ListSync: the released ones, and one that only tests have.
package enum LaterSchema {
  package static let migrations =
    Migrations.all + [Migrations.Migration(name: "0002_tests", sql: sqlite)]

  package static let postgreSQL =
    Migrations.postgreSQL + [Migrations.Migration(name: "postgresql_0002_tests", sql: postgres)]

  /// Counts the rows that the migration of SQLite has not written yet.
  package static let unwrittenRows = """
    SELECT count(*) FROM segments WHERE byte_count IS NOT length(data)
    """

  /// A table with rows from others, and a column that is written in every row of the log. The
  /// schema's number comes first, so half of an upgrade would pass for a whole one.
  private static let sqlite = """
    PRAGMA user_version = 2;
    CREATE TABLE authors (name TEXT PRIMARY KEY, version_count INTEGER NOT NULL) STRICT;
    INSERT INTO authors
    SELECT author, count(*) FROM versions WHERE author IS NOT NULL GROUP BY author;
    ALTER TABLE segments ADD COLUMN byte_count INTEGER;
    UPDATE segments SET byte_count = length(data);
    """

  private static let postgres = """
    CREATE TABLE authors (name bytea PRIMARY KEY, version_count bigint NOT NULL);
    INSERT INTO authors
    SELECT author, count(*) FROM versions WHERE author IS NOT NULL GROUP BY author;
    ALTER TABLE segments ADD COLUMN byte_count bigint;
    UPDATE segments SET byte_count = length(data);
    """
}
