import Foundation
import GRDB
import ListChanges
import ListDocuments
import ListModel

extension ReplicaFileContent {
  /// Replaces the saved edits.
  func write(_ edits: EditQueue, _ db: Database) throws {
    try db.execute(sql: "DELETE FROM edits")
    for (stage, edits) in [edits.first, edits.second].enumerated() {
      guard let edits else { continue }
      try db.execute(
        sql: "INSERT INTO edits VALUES (?, ?, ?, ?, ?)",
        arguments: [
          stage + 1, stage == 0 && self.edits.isSent, edits.base.document,
          Data(BareChanges(edits.mine).document), Data(BareChanges(edits.toBase).document),
        ])
    }
  }

  /// Reads the edits over a copy. Their base must have its root.
  static func readEdits(
    _ db: Database, over copy: ListCopy, _ damaged: (String) -> ReplicaError
  ) throws -> EditQueue {
    let rows = try Row.fetchAll(db, sql: "SELECT * FROM edits ORDER BY stage")
    guard let row = rows.first else { return .empty }
    do {
      let first = try readEdits(row, above: copy.snapshot.items)
      guard rows.count > 1 else { return EditQueue(first: first, isSent: row["is_sent"]) }
      let below = EditQueue.apply(first.merged().changes, to: copy.snapshot.items)
      let second = try readEdits(rows[1], above: below)
      return EditQueue(first: first, isSent: row["is_sent"], second: second)
    } catch {
      throw damaged("its edits are not readable")
    }
  }

  private static func readEdits(_ row: Row, above items: [Item]) throws -> PendingEdits {
    guard let text = String.fromDatabaseValue(row["base"]),
      let base = ListState(unprovenDocument: text),
      let mine = Data.fromDatabaseValue(row["mine"]),
      let toBase = Data.fromDatabaseValue(row["to_base"]),
      let changes = BareChanges(document: Array(toBase), oldCount: items.count),
      let edits = BareChanges(document: Array(mine), oldCount: base.count)
    else { throw UnreadableEdits() }
    let way = try changes.completed { items[$0] }
    let list = try Snapshot(items).applying(way)
    guard ListState(of: list).root == base.root else { throw UnreadableEdits() }
    return PendingEdits(base: base, mine: try edits.completed { list.items[$0] }, toBase: way)
  }
}

private struct UnreadableEdits: Error {}
