import GRDB
import ListModel
import ListStore

/// Structural checks of the rows; replay checks their meaning.
extension StoreReader {
  func integrityFaults() throws -> [String] {
    let lines = try String.fetchAll(db, sql: "PRAGMA integrity_check")
    return lines == ["ok"] ? [] : lines
  }

  func reason(ofReading error: any Error) -> String { StoreError.reason(ofReading: error) }

  func rowFaults(of list: ListRecord) throws -> [RowFault] {
    let arguments: StatementArguments = [
      "list": list.key.rawValue, "base": list.key.base, "last": list.key.last,
      "oldest": list.oldest.number, "head": list.head.number,
      "firstStep": list.key.base | Int64(list.firstStep.number),
    ]
    return try RowCheck.ofAList.flatMap { check in
      try Row.fetchAll(db, sql: check.sql, arguments: arguments).map { row in
        // The values may be of any type, as this row is damaged: `row[0] as Int?` would trap.
        let values = Array(row.databaseValues)
        let number = Int.fromDatabaseValue(values[0])
        let name = values.dropFirst().first.map { String.fromDatabaseValue($0) ?? "\($0)" }
        return (
          number.flatMap { $0 >= 0 ? Version($0) : nil },
          name.map { "\(check.reason): \($0)" } ?? check.reason
        )
      }
    }
  }

  func strayRowFaults() throws -> [String] {
    try missingSchemaParts().map { "the schema's \($0) is missing or altered" } + tokenFaults()
      + damagedTables().map(\.isDamaged)
      + RowCheck.tables.flatMap { rows in
        try Int64.fetchAll(db, sql: rows.strayLists).map {
          "rows of \(rows.table.rawValue) belong to a list that is not there, number \($0)"
        }
      }
  }

  /// The tables with a damaged row among those whose rows belong to no list.
  private func damagedTables() throws -> [DigestedTable] {
    let tables: [DigestedTable] = [.lists, .tokens, .grants, .formerLists]
    return try tables.filter { table in
      let sql = "SELECT 1 FROM \(table.rawValue) WHERE NOT (\(table.isSound)) LIMIT 1"
      return try Int.fetchOne(db, sql: sql) != nil
    }
  }

  /// The parts of the schema that this store lacks. Without a unique index, for example, it would
  /// accept duplicate rows.
  private func missingSchemaParts() throws -> [String] {
    let here = try db.schemaParts()
    return try schema.parts(of: schema.newest).filter { here[$0.key] != $0.value }.keys.sorted()
  }
}
