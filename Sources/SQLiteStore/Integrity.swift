import GRDB
import ListModel
import ListStore
import Migrations

/// What the rows must keep to, whatever they say; whether that is true is for replaying to find.
extension StoreReader {
  /// What SQLite's own check finds in the file: trees that are broken, indexes that do not fit.
  func integrityProblems() throws -> [String] {
    let lines = try String.fetchAll(db, sql: "PRAGMA integrity_check")
    return lines == ["ok"] ? [] : lines
  }

  func reason(ofReading error: any Error) -> String { StoreError.reason(ofReading: error) }

  func rowProblems(of list: ListRecord) throws -> [RowProblem] {
    let arguments: StatementArguments = [
      "list": list.key.rawValue, "base": list.key.base,
      "last": list.key.base | ListKey.largestSequence, "oldest": list.oldest.number,
      "head": list.head.number, "firstStep": list.key.base | Int64(list.firstStep.number),
    ]
    return try RowCheck.ofAList.flatMap { check in
      try Row.fetchAll(db, sql: check.sql, arguments: arguments).map { row in
        let number: Int? = row[0]
        let name: String? = row.count > 1 ? row[1] : nil
        return RowProblem(
          version: number.flatMap { $0 >= 0 ? Version($0) : nil },
          reason: name.map { "\(check.reason): \($0)" } ?? check.reason)
      }
    }
  }

  func strayRowProblems() throws -> [String] {
    try missingSchemaParts().map { "the schema's \($0) is missing or altered" } + tokenProblems()
      + damagedTables()
      + RowCheck.tables.flatMap { table, key in
        try Int64.fetchAll(db, sql: RowCheck.strayLists(in: table, key: key)).map {
          "rows of \(table) belong to a list that is not there, number \($0)"
        }
      }
  }

  /// The tables of no one list that have a row which is not what was written.
  private func damagedTables() throws -> [String] {
    guard try schema >= Schema.firstWithDigests else { return [] }
    return try [DigestedTable.lists, .tokens, .grants].filter { table in
      let sql = "SELECT 1 FROM \(table.rawValue) WHERE NOT (\(table.isSound)) LIMIT 1"
      return try Int.fetchOne(db, sql: sql) != nil
    }.map { "a row of \($0.rawValue) is not what was written" }
  }

  /// What a new store of the same schema has and this one has not: an index that is gone lets in
  /// what it kept out.
  private func missingSchemaParts() throws -> [String] {
    let here = try db.schemaParts()
    return try Schema.parts(of: schema).filter { here[$0.key] != $0.value }.keys.sorted()
  }
}
