import ListModel
import SyncService

/// Writes the history of lists to a plain SQLite file, for readers of SQL.
///
/// To export again appends the new versions, and removes the pruned ones. A killed export leaves
/// the export before it, or a whole one of an earlier version. Documentation/SQL.md describes the
/// tables.
package struct HistoryExporter {
  private let service: SyncService
  private let file: ExportFile
  private let hasMembers: Bool
  private let rowLimit: Int

  /// The result of an export.
  package struct Outcome: Sendable {
    package let list: ListName
    package let head: ListState
    /// The numbers of versions that were written and removed.
    package var versionCount = 0
    package var prunedCount = 0
    /// The number of rows that were written.
    package var rowCount = 0
  }

  /// Opens an export, or makes one.
  ///
  /// - Parameters:
  ///   - service: the service of the store.
  ///   - path: the file; nil for a temporary one, whose rows ``write(_:as:to:)`` writes.
  ///   - hasMembers: whether to make columns of members. An export that has them keeps them.
  ///   - busyTimeoutSeconds: how long to wait for other programs that use the file.
  ///   - rowLimit: how many rows are written in one transaction, unless they are of one version.
  /// - Throws: `FileError.cannotOpen`; `ExportError` of opening.
  package init(
    _ service: SyncService, path: String?, hasMembers: Bool = false, busyTimeoutSeconds: Double,
    rowLimit: Int = 200_000
  ) throws {
    // A standby that is behind would look like another history.
    (self.service, self.hasMembers, self.rowLimit) = (service.primary, hasMembers, rowLimit)
    file = try ExportFile(path: path, busyTimeoutSeconds: busyTimeoutSeconds)
  }

  /// How many statements were run so far, for tests.
  var statementCount: Int { file.statementCount }

  /// Exports the versions of a list that are not in the file yet.
  ///
  /// - Parameters:
  ///   - isReplaced: whether to begin anew, instead of continuing the history in the file.
  ///   - onProgress: called with each version.
  /// - Throws: `ExportError`; `ServiceError` of looking up.
  /// - Complexity: memory for a number of each item, and the changes of the store's batches.
  package func export(
    _ list: ListName, replacing isReplaced: Bool = false, onProgress: (Version) -> Void = { _ in }
  ) async throws -> Outcome {
    let head = try await service.state(of: ListRevision(list, .head))
    let oldest = try await service.oldest(of: list)
    var outcome = Outcome(list: list, head: head)
    try file.begin()
    do {
      if isReplaced { try file.remove(list) }
      let start = try file.newest(of: list)
      if let start { try await check(start, of: list, oldest) }
      outcome.prunedCount = try file.prune(list, before: oldest)
      let committed = try await append(to: &outcome, after: start, onProgress)
      try commit(list, after: committed)
    } catch {
      file.rollback()
      throw error
    }
    return outcome
  }

  /// Writes the rows of lists as text, in pieces.
  package func write(
    _ lists: [ListName], as format: RowFormat, to receive: ([UInt8]) throws -> Void
  ) throws {
    try file.forEachPiece(of: lists, as: format, receive)
  }

  /// Checks that the list has a version of the export in its history.
  private func check(_ cursor: Cursor, of list: ListName, _ oldest: Version) async throws {
    do {
      _ = try await service.state(of: ListRevision(list, .cursor(cursor)))
    } catch ServiceError.diverged(_, _, let here) {
      throw ExportError.diverged(list, path: file.path, exported: cursor, here: here)
    } catch ServiceError.tooOld {
      throw ExportError.pruned(list, path: file.path, exported: cursor, oldest: oldest)
    }
  }

  /// Appends the versions after one, in several transactions if they have many rows.
  ///
  /// - Returns: the newest version of the last transaction that was committed.
  private func append(
    to outcome: inout Outcome, after start: Cursor?, _ onProgress: (Version) -> Void
  ) async throws -> Cursor? {
    let (list, head) = (outcome.list, outcome.head)
    if start == head.cursor { return start }
    var rows = try RowAppender(file, list)
    var (newest, committed, committedCount, versionCount) = (start, start, 0, 0)
    try await service.replay(
      list, from: start.map(Revision.cursor) ?? .version(.zero), to: .cursor(head.knownCursor)
    ) { delta in
      guard rows.count == delta.from.count else {
        throw ExportError.damaged(list, path: file.path)
      }
      try file.insert(delta, of: list)
      try rows.append(delta.changes, at: delta.to.version)
      (newest, versionCount) = (delta.to.cursor, versionCount + 1)
      onProgress(delta.to.version)
      guard rows.rowCount - committedCount >= rowLimit else { return }
      try commit(list, after: committed)
      (committed, committedCount) = (newest, rows.rowCount)
      try file.begin()
      // Another export may have written between the two.
      guard try file.newest(of: list) == newest else { throw ExportError.busy(path: file.path) }
    }
    (outcome.rowCount, outcome.versionCount) = (rows.rowCount, versionCount)
    return committed
  }

  private func commit(_ list: ListName, after start: Cursor?) throws {
    if hasMembers { try file.addMembers() }
    if try file.hasMembers() { try file.updateMembers(of: list, after: start?.version) }
    try file.commit()
  }
}
