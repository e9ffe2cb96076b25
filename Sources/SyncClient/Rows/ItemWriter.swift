import GRDB
import ListModel
import RawSQLite

/// Writes rows of a table of items in one transaction.
final class ItemWriter {
  private let db: Database
  private let table: ItemTable
  private var statements: [Verb: (columns: [String], statement: ObservedStatement)] = [:]

  private enum Verb { case delete, move, insert, update }

  init(_ db: Database, _ table: ItemTable) { (self.db, self.table) = (db, table) }

  func delete(_ id: ItemID) throws { try run(.delete, [], [], id) }

  func move(_ id: ItemID, to place: Int64) throws {
    try run(.move, ["place"], [.integer(place)], id)
  }

  func insert(_ item: Item, at place: Int64) throws {
    let further = try further(item)
    try run(
      .insert, ["place", "content"] + further.names,
      [.integer(place), .blob(item.content.bytes)] + further.values, item.id)
  }

  func update(_ item: Item) throws {
    let further = try further(item)
    try run(
      .update, ["content"] + further.names, [.blob(item.content.bytes)] + further.values, item.id)
  }

  /// The further columns of an item.
  private func further(_ item: Item) throws -> (names: [String], values: [RawValue]) {
    guard let columns = try table.columns?(item).sorted(by: { $0.key < $1.key }) else {
      return ([], [])
    }
    return (columns.map(\.key), columns.map { RawValue($0.value) })
  }

  private func run(
    _ verb: Verb, _ columns: [String], _ values: [RawValue], _ id: ItemID
  ) throws {
    try statement(verb, columns).run(values, .text(id.text))
    // The row, or its entry in the index of ids, may have been damaged.
    guard db.changesCount == 1 else {
      throw ReplicaError.changedRows(
        table: table.title, ids: [id], reason: "a row of '\(id)' is missing, or a trigger skips it")
    }
  }

  /// The statement whose last value is the id. Mostly all items have the same columns.
  private func statement(_ verb: Verb, _ columns: [String]) throws -> ObservedStatement {
    if let known = statements[verb], known.columns == columns { return known.statement }
    let names = columns.map(\.quotedDatabaseIdentifier)
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
    statements[verb] = (columns, statement)
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
