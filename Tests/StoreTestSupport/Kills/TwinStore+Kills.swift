import ListModel
import ListStore
import SyncService

extension TwinStore {
  /// Does an act.
  ///
  /// - Parameter source: the twin of the store that versions are taken from.
  /// - Returns: as ``KillAct/perform(on:at:source:)``.
  package mutating func perform(
    _ act: KillAct, source: TwinStore
  ) throws -> ListModel.Cursor? {
    let changed: ListName
    switch act.kind {
    case .commit(let list, let snapshot), .commitDelta(let list, let snapshot):
      changed = list
      try commit(CommitRequest(list: list, snapshot: snapshot), in: act)
    case .edit(let list, let edits):
      changed = list
      try commit(CommitRequest(list: list, edits: edits), in: act)
    case .apply(let start, let target):
      changed = KillAct.copy
      var request = ExportRequest(list: .parks)
      (request.since, request.to) = (.version(start), .version(target))
      _ = try apply(source.export(request), as: changed)
    case .prune(let list, let rule):
      changed = list
      _ = try prune(PruneRequest(list: list, rule: rule), now: act.time)
    case .tag(let list, let name):
      changed = list
      _ = try tag(name, of: list, at: .head, isForced: true, now: act.time)
    case .drop(let list):
      try leave { try $0.drop(DepartureRequest(list: list), now: act.time) }
      return nil
    case .rename(let list, let name):
      try leave { try $0.rename(DepartureRequest(list: list), to: name, now: act.time) }
      return nil
    case .beginAgain(let list, let snapshot):
      changed = list
      var request = CommitRequest(list: list, snapshot: snapshot)
      request.beginsAgain = true
      try commit(request, in: act)
    case .vacuum, .backUp, .compact, .compactIfDue: return nil
    }
    return self[changed]?.headCursor
  }

  private mutating func commit(_ request: CommitRequest, in act: KillAct) throws {
    var request = request
    request.message = act.note.message
    _ = try commit(request, now: act.time)
  }

  /// Does an act that may have nothing to do.
  private mutating func leave(_ body: (inout TwinStore) throws -> RetiredList) throws {
    do { _ = try body(&self) } catch let error as ServiceError where error.isNothingToLeave {}
  }

  package var view: StoreView {
    StoreView(
      lists: Dictionary(uniqueKeysWithValues: lists.map { ($0.name, ListView($0)) }),
      former: retiredLists)
  }
}

/// The visible state of a store's lists; contents by their roots.
package struct StoreView: Equatable, Sendable {
  package let lists: [ListName: ListView]
  /// The records of lists that were dropped or renamed.
  package let former: [RetiredList]

  init(lists: [ListName: ListView], former: [RetiredList]) {
    (self.lists, self.former) = (lists, former)
  }

  package init(of service: SyncService) async throws {
    var lists: [ListName: ListView] = [:]
    for list in try await service.lists() {
      lists[list.name] = try await ListView(of: list, from: service)
    }
    self.lists = lists
    former = try await service.retiredLists()
  }
}

package struct ListView: Equatable, Sendable {
  let oldest: Version
  let log: [VersionRecord]
  let tags: [TagRecord]
  let prunes: [PruneRecord]
  let head: Snapshot

  init(_ twin: TwinList) {
    oldest = Version(twin.oldest)
    (log, tags, prunes) = (twin.log, twin.tags, twin.prunes)
    head = twin.snapshot(twin.head)
  }

  init(of list: ListSummary, from service: SyncService) async throws {
    oldest = list.oldest
    log = try await service.log(of: list.name)
    tags = try await service.tags(of: list.name).map(\.tag)
    prunes = try await service.prunes(of: list.name)
    head = try await service.snapshot(of: list.name).snapshot
  }
}

extension StoreView {
  /// For failure messages.
  package var summary: String {
    lists.map { name, list in
      let head = list.log.first?.cursor.description ?? "0"
      return "\(name): \(list.oldest) to \(head), \(list.tags.count) tags"
    }.sorted().joined(separator: "; ") + "; \(former.count) former"
  }
}
