import ListModel
import ListStore
import SQLiteStore
import SyncService

extension KillAct {
  /// Does the act.
  ///
  /// - Parameter source: what versions are taken from.
  /// - Returns: the head of the act's list afterwards; nil where it has none.
  package func perform(
    on store: SQLiteStore, at path: String, source: SyncService
  ) async throws -> ListModel.Cursor? {
    let time = time
    let service = SyncService(store: store) { time }
    switch kind {
    case .commit(let list, let snapshot):
      var request = CommitRequest(list: list, snapshot: snapshot)
      request.message = note.message
      return try await service.commit(request).state.cursor
    case .commitDelta(let list, let snapshot):
      return try await commitDelta(snapshot, to: list, service).state.cursor
    case .edit(let list, let edits):
      var request = CommitRequest(list: list, edits: edits)
      request.message = note.message
      return try await service.commit(request).state.cursor
    case .apply(let start, let target):
      var request = ExportRequest(list: .parks)
      (request.since, request.to) = (.version(start), .version(target))
      let range = try await TestRange(request, from: source)
      return try await service.apply(as: Self.copy) { TestRange.Source(range) }.head.cursor
    case .prune(let list, let rule):
      _ = try await service.prune(PruneRequest(list: list, rule: rule))
      return try await service.log(of: list, limit: 1).first?.cursor
    case .tag(let list, let name):
      return try await service.tag(name, of: list, isForced: true).entry.record.cursor
    case .drop(let list):
      return try await leave { _ = try await service.drop(DepartureRequest(list: list)) }
    case .rename(let list, let name):
      return try await leave {
        _ = try await service.rename(DepartureRequest(list: list), to: name)
      }
    case .beginAgain(let list, let snapshot):
      var request = CommitRequest(list: list, snapshot: snapshot)
      (request.message, request.beginsAgain) = (note.message, true)
      return try await service.commit(request).state.cursor
    case .compact(let list):
      _ = try await service.compact(list)
      return nil
    case .compactIfDue(let list):
      _ = try await service.compactIfDue(list)
      return nil
    case .vacuum:
      _ = try await store.vacuum()
      return nil
    case .backUp:
      _ = try await Backup(of: store, to: Self.backupPath(of: path), replaces: true).run()
      return nil
    }
  }

  /// Does an act that may have nothing to do.
  private func leave(
    _ body: () async throws -> Void
  ) async throws -> ListModel.Cursor? {
    do { try await body() } catch let error as ServiceError where error.isNothingToLeave {}
    return nil
  }

  package static func backupPath(of path: String) -> String { path + ".backup" }

  private func commitDelta(
    _ snapshot: Snapshot, to list: ListName, _ service: SyncService
  ) async throws -> CommitOutcome {
    let head = try await service.snapshot(of: list)
    var request = CommitRequest(
      list: list,
      .changes(
        BareChanges(head.snapshot.changes(to: snapshot)), from: head.state,
        to: ListState(of: snapshot)))
    request.message = note.message
    return try await service.commit(request)
  }
}
