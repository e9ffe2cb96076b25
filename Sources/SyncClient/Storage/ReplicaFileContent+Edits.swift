import GRDB

extension ReplicaFileContent {
  /// Replaces the saved edits.
  func write(_ edits: EditQueue, _ db: Database) throws {
    try db.execute(sql: "DELETE FROM edits")
    for row in edits.rows {
      try db.execute(
        sql: "INSERT INTO edits VALUES (?, ?, ?, ?, ?)", arguments: StatementArguments(row))
    }
  }

  /// Reads the edits over a copy. Their base must have its root.
  static func readEdits(
    _ db: Database, over copy: ListCopy, _ damaged: (String) -> ReplicaError
  ) throws -> EditQueue {
    let rows = try Row.fetchAll(db, sql: "SELECT * FROM edits ORDER BY stage")
    do {
      return try EditQueue(rows: rows, over: copy)
    } catch {
      throw damaged("its edits are not readable")
    }
  }
}
