import Foundation
import GRDB
import ListChanges
import ListDocuments
import ListModel
import SyncClient

/// A replica's copy as rows of an app's table. List, cursor and edits are saved in one transaction.
actor TableStorage: RowStorage {
  private let writer: any DatabaseWriter
  private let source: ReplicaSource
  private let table: ItemTable
  private let log: UpdateLog
  /// The state of the tables that was loaded or saved last.
  private var state: CopyState?

  init(_ writer: any DatabaseWriter, _ source: ReplicaSource, _ table: ItemTable, _ log: UpdateLog)
  {
    (self.writer, self.source, self.table, self.log) = (writer, source, table, log)
  }

  func load() async throws(ReplicaError) -> ListCopy {
    do {
      let (source, table) = (source, table)
      try await writer.write { db in _ = try CopyTables.prepare(db, source, table) }
      return try await reload().0
    } catch let error as ReplicaError {
      throw error
    } catch {
      throw .cannotOpen(path: table.name, reason: "\(error)")
    }
  }

  func edits() -> EditQueue { state?.edits ?? .empty }

  func reload() async throws -> (ListCopy, EditQueue) {
    let (source, table) = (source, table)
    let reader = writer as any DatabaseReader
    let new = try await writer.read { db in
      try CopyState.read(db, source, table).over(.reader(reader))
    }
    state = new
    log.begin(at: new.rows.revision)
    return (new.copy, new.edits)
  }

  func save(_ step: ReplicaStep?, _ edits: EditQueue?) async throws(ReplicaError) {
    do {
      _ = try await saveRows(step, edits)
    } catch let error as ReplicaError {
      throw error
    } catch {
      throw .notSaved(reason: "\(error)", cause: .otherProgram)
    }
  }

  func saveRows(_ step: ReplicaStep?, _ edits: EditQueue?) async throws -> ListCopy {
    do {
      return try await write(step, edits)
    } catch let error as DatabaseError {
      throw ReplicaError.notSaved(
        reason: "\(table.name): \(error.reason)", cause: error.obstacle)
    }
  }

  private func write(_ step: ReplicaStep?, _ edits: EditQueue?) async throws -> ListCopy {
    guard let state else { throw ReplicaError.notSaved(reason: "\(table.name) was not loaded") }
    let (reader, log) = (writer as any DatabaseReader, log)
    let new = try await writer.write { db in
      guard try CopyTables.revision(db, of: state.rows.copy) == state.rows.revision else {
        throw StaleRows()
      }
      let (new, changes) = try state.over(.transaction(db)).saving(step, edits, db)
      db.afterNextTransaction { _ in log.append(changes, revision: new.rows.revision) }
      return new.over(.reader(reader))
    }
    self.state = new
    return new.copy
  }
}

/// A copy in the app's tables: its rows, and the edits in them.
struct CopyState: @unchecked Sendable {
  let rows: TableRows
  /// The server's list.
  let copy: ListCopy
  let edits: EditQueue
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
  func over(_ access: TableRows.Access) -> CopyState { CopyState(self, rows.over(access)) }

  private init(_ state: CopyState, _ rows: TableRows) {
    (self.rows, edits, toCopy) = (rows, state.edits, state.toCopy)
    copy = state.copy.over(rows)
  }
}

extension CopyState {
  /// Reads the state in a transaction.
  static func read(
    _ db: Database, _ source: ReplicaSource, _ table: ItemTable
  ) throws -> CopyState {
    func damaged(_ reason: String) -> ReplicaError {
      .damagedFile(path: table.name, reason: reason)
    }
    guard
      let row = try Row.fetchOne(
        db, sql: "SELECT * FROM listsync_copies WHERE items = ?", arguments: [table.name])
    else { throw damaged("its row in listsync_copies is missing") }
    let number: Int64 = row["copy"]
    guard let text = String.fromDatabaseValue(row["state"]), let state = ListState(document: text)
    else { throw damaged("its state is not one that its header proves") }
    let rows = try TableRows(
      table, copy: number, revision: row["revision"],
      parts: CopyTables.parts(db, of: number), .transaction(db))
    var toCopy: ChangeSet<Item>?
    if let data = Data.fromDatabaseValue(row["to_copy"]) {
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

  /// Writes a step of the server's list, and the edits over it, in a transaction.
  ///
  /// - Returns: the new state, and the changes of the rows.
  func saving(
    _ step: ReplicaStep?, _ edits: EditQueue?, _ db: Database
  ) throws -> (CopyState, ChangeSet<Item>) {
    let edits = edits ?? self.edits
    let shown = edits.shownChanges
    let parts = [toCopy, step?.changes, shown].compactMap(\.self)
    let changes = try (ChangeSet.composing(parts) ?? .none(count: StoredList(rows).count))
      .named(in: .rows(StoredList(rows)))
    let new = try writing(changes, step?.after.state ?? copy.state, shown, db)
    let trust = step?.after.trust ?? (step == nil ? copy.trust : nil)
    let state = try CopyState(
      rows: new.rows, step?.after.state ?? copy.state, trust, edits: edits, toCopy: new.toCopy)
    try state.write(db, replacesEdits: edits != self.edits)
    return (state, changes)
  }

  /// Writes an edit of the rows, in a transaction.
  func editing(_ edit: ChangeSet<Item>, _ db: Database) throws -> CopyState {
    let edits = try edits.editing(edit, over: copy)
    let new = try writing(edit, copy.state, edits.shownChanges, db)
    let state = try CopyState(
      rows: new.rows, copy.state, copy.trust, edits: edits, toCopy: new.toCopy)
    try state.write(db, replacesEdits: true)
    return state
  }

  private func writing(
    _ changes: ChangeSet<Item>, _ state: ListState, _ shown: ChangeSet<Item>?, _ db: Database
  ) throws -> (rows: TableRows, toCopy: ChangeSet<Item>?) {
    var writer = try RowWriter(db, rows, changes)
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
    guard let note = String.fromDatabaseValue(row["note"]),
      let given = String.fromDatabaseValue(row["given_key"]).flatMap({ VerifierKey($0) }),
      let present = String.fromDatabaseValue(row["present_key"]).flatMap({ VerifierKey($0) }),
      let trust = try? HeadTrust(given: given, present: present, note: note, of: list, at: state)
    else { return nil }
    self = trust
  }
}
