import Foundation
import GRDB
import ListModel
import RawSQLite

/// The app's table of a list's items: a row for each item, in the order of its places.
///
///     CREATE TABLE parks (
///       id TEXT NOT NULL UNIQUE, place INTEGER NOT NULL, content BLOB NOT NULL,
///       name TEXT, favourite INTEGER NOT NULL DEFAULT 0);
///     CREATE INDEX parks_by_place ON parks (place);
///
/// `content` is canonical JSON. Places are sparse: a new or moved item gets one between those of
/// its neighbours. Further columns are the app's own, or are made from the content (`columns`).
/// They need a default value, or allow NULL.
public struct ItemTable: Sendable {
  public let name: String
  /// The table in errors.
  let title: String
  /// Makes further columns of a row from its item.
  let columns: (@Sendable (Item) throws -> [String: DatabaseValue])?

  /// - Parameters:
  ///   - name: as in `CREATE TABLE`.
  ///   - columns: makes further columns of a row, whenever its content changes; nil for none. An
  ///     error undoes the update.
  public init(
    _ name: String, columns: (@Sendable (Item) throws -> [String: DatabaseValue])? = nil
  ) {
    (self.name, title, self.columns) = (name, name, columns)
  }

  /// The table of a replica's file.
  init(ofFile path: String) { (name, title, columns) = ("items", "items of \(path)", nil) }

  /// A table with the columns of a record, which is made from the JSON of an item. Its columns
  /// `id`, `place` and `content` are left out.
  public init<Record: EncodableRecord & Decodable & Sendable>(
    _ name: String, of record: Record.Type,
    decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
  ) {
    self.init(name) { item in
      let record: Record
      do {
        record = try decoder().decode(Record.self, from: Data(item.content.bytes))
      } catch {
        throw ReplicaError.undecodable(id: item.id, reason: "\(error)")
      }
      return try record.databaseDictionary.filter { !["id", "place", "content"].contains($0.key) }
    }
  }

  package var quotedName: String { name.quotedDatabaseIdentifier }

  func check(_ db: Database) throws {
    let found = try Set(
      Row.fetchAll(db, sql: "PRAGMA table_info(\(quotedName))").map {
        $0["name"] as String
      })
    for column in ["id", "place", "content"] where !found.contains(column) {
      throw ReplicaError.cannotOpen(
        path: name,
        reason: """
          the table has no column \(column): it needs id TEXT NOT NULL UNIQUE, place INTEGER NOT \
          NULL, content BLOB NOT NULL, and an index of place
          """)
    }
  }
}

/// A row of an app's table.
struct PlacedItem {
  let item: Item
  let place: Int64
}

extension ItemTable {
  /// The rows from one place up to, not including, another one; nil for no bound.
  func rows(_ db: Database, from first: Int64?, to next: Int64?) throws -> [PlacedItem] {
    // GRDB would end an id at U+0000.
    let statement = try RawStatement(
      db,
      """
      SELECT id, content, place FROM \(quotedName)
      WHERE place BETWEEN ?1 AND ?2 ORDER BY place
      """)
    defer { statement.reset() }
    statement.bind(first ?? .min, at: 1)
    statement.bind(next.map { $0 - 1 } ?? .max, at: 2)
    var rows: [PlacedItem] = []
    // The hash of the group finds a damaged id or content.
    while try statement.step() {
      let item = Item(
        id: ItemID(statement.text(0)), content: Content(canonicalBytes: statement.bytes(1)))
      rows.append(PlacedItem(item: item, place: statement.integer(2)))
    }
    return rows
  }

  func place(_ db: Database, of id: ItemID) throws -> Int64? {
    let statement = try RawStatement(db, "SELECT place FROM \(quotedName) WHERE id = ?1")
    defer { statement.reset() }
    statement.bind([.text(id.text)])
    return try statement.step() ? statement.integer(0) : nil
  }
}
