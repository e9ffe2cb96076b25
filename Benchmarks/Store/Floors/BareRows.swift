import ParkLists

/// The rows of a list inserted into a table of an app by one prepared statement in one transaction,
/// write-ahead log, synchronous NORMAL as with GRDB.
struct BareRows {
  static let tables = """
    CREATE TABLE IF NOT EXISTS items (
      id TEXT NOT NULL UNIQUE, place INTEGER NOT NULL, content BLOB NOT NULL);
    CREATE INDEX IF NOT EXISTS items_by_place ON items (place);
    """
  private let items: PackedItems

  init(_ list: ParkList) { items = PackedItems(list) }

  /// Inserts everything into a new database; measured from BEGIN until COMMIT returns.
  func run(at path: String) throws -> Cost {
    let database = try BareDatabase(path: path)
    try database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")
    try database.run(Self.tables)
    return try items.insert(
      into: database, "INSERT INTO items (place, id, content) VALUES (?, ?, ?)")
  }
}
