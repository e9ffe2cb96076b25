import GRDB
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

  func load() async throws(ReplicaError) -> ListCopy { try await loadRows() }

  func loadRows() async throws(ReplicaError) -> ListCopy {
    do {
      let (source, table) = (source, table)
      try await writer.write { db in try CopyTables.prepare(db, source, table) }
      return try await read().0
    } catch let error as ReplicaError {
      throw error
    } catch {
      throw .cannotOpen(path: table.name, reason: "\(error)")
    }
  }

  func edits() -> EditQueue { state?.edits ?? .empty }

  func reload() async throws -> (ListCopy, EditQueue) {
    do {
      return try await read()
    } catch let error as DatabaseError {
      throw notSaved(error)
    }
  }

  private func read() async throws -> (ListCopy, EditQueue) {
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
      throw notSaved(error)
    }
  }

  private func notSaved(_ error: DatabaseError) -> ReplicaError {
    .notSaved(reason: "\(table.name): \(error.reason)", cause: error.obstacle)
  }

  private func write(_ step: ReplicaStep?, _ edits: EditQueue?) async throws -> ListCopy {
    guard let state else { throw ReplicaError.notSaved(reason: "\(table.name) was not loaded") }
    let (log, table) = (log, table)
    let new = try await CopyState.saving(step, edits, in: writer) { _ in
      state
    } note: { db, changes, revision in
      log.note(changes, revision: revision, in: db, present: table.revision)
    }
    self.state = new
    return new.copy
  }
}
