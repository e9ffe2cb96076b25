import GRDB
import ListModel
import RawSQLite

/// Writes rows of a table of items in one transaction.
final class ItemWriter {
  private let db: Database
  private let table: ItemTable
  private var statements: [Verb: (further: [String], statement: ObservedStatement)] = [:]

  private enum Verb {
    case delete, move, insert, update

    /// The columns whose values come first; the id comes last.
    var columns: [String] {
      switch self {
      case .delete: []
      case .move: ["place"]
      case .insert: ["place", "content"]
      case .update: ["content"]
      }
    }
  }

  init(_ db: Database, _ table: ItemTable) { (self.db, self.table) = (db, table) }

  func delete(_ id: ItemID) throws { try run(.delete, [], id) }

  func move(_ id: ItemID, to place: Int64) throws { try run(.move, [.integer(place)], id) }

  func insert(_ item: Item, at place: Int64) throws {
    try run(.insert, [.integer(place), .blob(item.content.bytes)], item)
  }

  func update(_ item: Item) throws { try run(.update, [.blob(item.content.bytes)], item) }

  /// Writes an item with its further columns.
  private func run(_ verb: Verb, _ values: [RawValue], _ item: Item) throws {
    guard let columns = try table.columns?(item).sorted(by: { $0.key < $1.key }) else {
      return try run(verb, values, item.id)
    }
    try run(
      verb, values + columns.map { RawValue($0.value) }, item.id, further: columns.map(\.key))
  }

  private func run(
    _ verb: Verb, _ values: [RawValue], _ id: ItemID, further: [String] = []
  ) throws {
    let statement = try statement(verb, further)
    try statement.run(values, .text(id.text))
    // The row, or its entry in the index of ids, may have been damaged.
    guard statement.changedRowCount == 1 else {
      throw ReplicaError.changedRows(
        table: table.title, ids: [id], reason: "a row of '\(id)' is missing, or a trigger skips it")
    }
  }

  /// Mostly all items have the same further columns.
  private func statement(_ verb: Verb, _ further: [String]) throws -> ObservedStatement {
    if let known = statements[verb], known.further == further { return known.statement }
    let names = (verb.columns + further).map(\.quotedDatabaseIdentifier)
    let name = table.quotedName
    let sql =
      switch verb {
      case .delete: "DELETE FROM \(name) WHERE id = ?"
      case .insert:
        """
        INSERT INTO \(name) (\(names.map { "\($0), " }.joined())id)
        VALUES (\(names.map { _ in "?, " }.joined())?)
        """
      case .move, .update:
        "UPDATE \(name) SET \(names.map { "\($0) = ?" }.joined(separator: ", ")) WHERE id = ?"
      }
    let statement = try ObservedStatement(db, sql)
    statements[verb] = (further, statement)
    return statement
  }
}

extension RawValue {
  init(_ value: DatabaseValue) {
    self =
      switch value.storage {
      case .null: .null
      case .int64(let number): .integer(number)
      case .double(let number): .double(number)
      case .string(let text): .text(text)
      case .blob(let data): .blob(Array(data))
      }
  }
}
