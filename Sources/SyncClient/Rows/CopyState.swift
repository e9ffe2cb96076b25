import Foundation
import GRDB
import ListChanges
import ListDocuments
import ListModel

/// A copy in tables: its rows, and the edits in them.
package struct CopyState: @unchecked Sendable {
  package let rows: TableRows
  /// The server's list.
  package let copy: ListCopy
  package let edits: EditQueue
  /// From the rows to the server's list; nil without edits.
  private let toCopy: ChangeSet<Item>?

  private init(
    rows: TableRows, _ state: ListState, _ trust: HeadTrust?, edits: EditQueue,
    toCopy: ChangeSet<Item>?
  ) throws {
    (self.rows, self.edits, self.toCopy) = (rows, edits, toCopy)
    var list = StoredList(rows)
    if let toCopy { try list.apply(toCopy) }
    guard list.count == state.count, list.root == state.root else {
      throw ReplicaError.damagedFile(
        path: rows.table.name, reason: "its groups do not have the root of its state")
    }
    var copy = ListCopy(state, list)
    copy.trust = trust
    self.copy = copy
  }

  /// The same state, whose rows are read in another way.
  package func over(_ access: TableRows.Access) -> CopyState {
    CopyState(self, rows.over(access))
  }

  private init(_ state: CopyState, _ rows: TableRows) {
    (self.rows, edits, toCopy) = (rows, state.edits, state.toCopy)
    copy = state.copy.over(rows)
  }
}

extension CopyState {
  /// Reads the state in a transaction.
  package static func read(
    _ db: Database, _ source: ReplicaSource, _ table: ItemTable
  ) throws -> CopyState {
    func damaged(_ reason: String) -> ReplicaError {
      .damagedFile(path: table.name, reason: reason)
    }
    guard
      let row = try Row.fetchOne(
        db, sql: "SELECT * FROM listsync_copies WHERE items = ?", arguments: [table.name])
    else { throw damaged("its row in listsync_copies is missing") }
    guard let text = row.value("state", String.self), let state = ListState(document: text)
    else { throw damaged("its state is not one that its header proves") }
    guard let number = row.value("copy", Int64.self),
      let revision = row.value("revision", Int64.self), revision < .max / 2
    else { throw damaged("its row in listsync_copies is not readable") }
    let rows = try TableRows(
      table, copy: number, revision: revision,
      parts: CopyTables.parts(db, of: number), .transaction(db))
    var toCopy: ChangeSet<Item>?
    if let data = row.value("to_copy", Data.self) {
      let list = StoredList(rows)
      guard let changes = BareChanges(document: Array(data), oldCount: list.count) else {
        throw damaged("its edits are not readable")
      }
      toCopy = try changes.completed(oldItem: list.item)
    }
    let trust = HeadTrust(row, of: source.list, at: state)
    let copy = try CopyState(rows: rows, state, trust, edits: .empty, toCopy: toCopy).copy
    let stages = try Row.fetchAll(
      db, sql: "SELECT * FROM listsync_edits WHERE copy = ? ORDER BY stage", arguments: [number])
    return try CopyState(
      rows: rows, state, trust, edits: EditQueue(rows: stages, over: copy), toCopy: toCopy)
  }

  /// Writes a step of the server's list, and the edits over it, in one transaction.
  ///
  /// - Parameters:
  ///   - step: from the copy; nil if it stays.
  ///   - edits: the edits over the copy after the step; nil for the saved ones, which have to fit.
  ///   - state: gives the state that was read or saved last.
  ///   - note: gets the changes of the rows and the new revision, in the transaction.
  /// - Throws: ``StaleRows`` if the rows have another state by now; errors of the database.
  package static func saving(
    _ step: ReplicaStep?, _ edits: EditQueue?, in writer: any DatabaseWriter,
    after state: @escaping @Sendable (Database) throws -> CopyState,
    note: @escaping @Sendable (Database, ChangeSet<Item>, Int64) -> Void = { _, _, _ in }
  ) async throws -> CopyState {
    try await writer.write { db in
      let old = try state(db)
      guard try CopyTables.revision(db, of: old.rows.copy) == old.rows.revision else {
        throw StaleRows()
      }
      let (new, changes) = try old.over(.transaction(db)).saving(step, edits, db)
      note(db, changes, new.rows.revision)
      return new.over(.reader(writer))
    }
  }

  /// - Returns: the new state, and the changes of the rows.
  private func saving(
    _ step: ReplicaStep?, _ edits: EditQueue?, _ db: Database
  ) throws -> (CopyState, ChangeSet<Item>) {
    let edits = edits ?? self.edits
    let shown = edits.shownChanges
    let parts = [toCopy, step?.changes, shown].compactMap(\.self)
    let changes = try (ChangeSet.composing(parts) ?? .none(count: StoredList(rows).count))
      .named(in: .rows(StoredList(rows)))
    let tree = shown == nil ? step?.after.list.tree : nil
    let new = try writing(changes, shown, db, tree: tree)
    let trust = step?.after.trust ?? (step == nil ? copy.trust : nil)
    let state = try CopyState(
      rows: new.rows, step?.after.state ?? copy.state, trust, edits: edits, toCopy: new.toCopy)
    try state.write(db, replacesEdits: edits != self.edits)
    return (state, changes)
  }

  /// Writes an edit of the rows, in a transaction.
  package func editing(_ edit: ChangeSet<Item>, _ db: Database) throws -> CopyState {
    let edits = try edits.editing(edit, over: copy)
    let new = try writing(edit, edits.shownChanges, db)
    let state = try CopyState(
      rows: new.rows, copy.state, copy.trust, edits: edits, toCopy: new.toCopy)
    try state.write(db, replacesEdits: true)
    return state
  }

  private func writing(
    _ changes: ChangeSet<Item>, _ shown: ChangeSet<Item>?, _ db: Database, tree: RootTree? = nil
  ) throws -> (rows: TableRows, toCopy: ChangeSet<Item>?) {
    var writer = try RowWriter(db, rows, changes, tree: tree)
    let new = try writer.write()
    guard let shown, !shown.isEmpty else { return (new, nil) }
    return (new, try shown.inverted().named(in: .rows(StoredList(new))))
  }

  private func write(_ db: Database, replacesEdits: Bool) throws {
    try db.execute(
      sql: """
        UPDATE listsync_copies SET revision = ?, state = ?, note = ?, given_key = ?,
          present_key = ?, to_copy = ?
        WHERE copy = ?
        """,
      arguments: [
        rows.revision, copy.state.document, copy.trust?.note, copy.trust?.given.description,
        copy.trust?.present.description, toCopy.map { Data(BareChanges($0).document) }, rows.copy,
      ])
    guard replacesEdits else { return }
    try db.execute(sql: "DELETE FROM listsync_edits WHERE copy = ?", arguments: [rows.copy])
    for row in edits.rows {
      try db.execute(
        sql: "INSERT INTO listsync_edits VALUES (?, ?, ?, ?, ?, ?)",
        arguments: StatementArguments([rows.copy.databaseValue] + row))
    }
  }
}

extension HeadTrust {
  /// The signed head of a row; nil if there is no valid one.
  fileprivate init?(_ row: Row, of list: ListName, at state: ListState) {
    guard let note = row.value("note", String.self),
      let given = row.value("given_key", String.self).flatMap({ VerifierKey($0) }),
      let present = row.value("present_key", String.self).flatMap({ VerifierKey($0) }),
      let trust = try? HeadTrust(given: given, present: present, note: note, of: list, at: state)
    else { return nil }
    self = trust
  }
}

extension Row {
  /// The value of a column; nil if it is missing or of another type, as in a damaged file.
  func value<Value: DatabaseValueConvertible>(_ column: String, _ type: Value.Type) -> Value? {
    guard let value = self[column] as DatabaseValue? else { return nil }
    return Value.fromDatabaseValue(value)
  }
}
