import GRDB
import ListChanges
import ListModel

extension CopyState {
  /// Reads and verifies a replica's whole file.
  ///
  /// - Parameter source: the expected list and server; nil for any.
  /// - Returns: the state; its source; the items of the copy.
  /// - Throws: `ReplicaError.otherSource`, `.damagedFile`, `.changedRows`; errors of the database.
  static func verified(
    _ db: Database, _ source: ReplicaSource?, path: String
  ) throws -> (CopyState, ReplicaSource, [Item]) {
    func damaged(_ reason: String) -> ReplicaError { .damagedFile(path: path, reason: reason) }
    // Also check pages that are not read here: a damaged free page would fail every save.
    guard let found = try String.fetchOne(db, sql: "PRAGMA quick_check(1)"), found == "ok" else {
      throw damaged("its pages do not fit together")
    }
    let table = ItemTable(ofFile: path)
    guard let own = try CopyTables.source(db, of: table) else {
      throw damaged("it does not say what it is a copy of")
    }
    if let source, own != source {
      throw ReplicaError.otherSource(
        path: path, found: own.description, expected: source.description)
    }
    do {
      let state = try read(db, own, table)
      // The root covers the hash of each group of rows, which is compared with the rows here.
      let rows = state.rows.over(.transaction(db))
      var items = try rows.items(at: [0..<rows.tree.itemCount])
      if case .rows(let list, _) = state.copy.list { items = try items.applying(list.changes) }
      _ = try Snapshot(items)
      return (state, own, items)
    } catch {
      if error is ReplicaError || error is DatabaseError { throw error }
      throw damaged("\(error)")
    }
  }
}
