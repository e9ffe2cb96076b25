import ListModel
import ListStore
import SyncService

/// What a store must hold after some acts.
package struct KillTwin: Sendable {
  private var lists: [ListName: ListTwin] = [:]
  private let source: ListTwin

  package init(source: ListTwin) { self.source = source }

  package var view: StoreView { StoreView(lists: lists.mapValues { ListView($0) }) }

  /// - Returns: as ``KillAct/perform(on:at:source:)``.
  package mutating func perform(_ act: KillAct) -> ListModel.Cursor? {
    switch act.kind {
    case .commit(let list, let snapshot), .commitDelta(let list, let snapshot):
      return change(list) { $0.commit(snapshot, act.note) }
    case .edit(let list, let edits):
      return change(list) { twin in
        twin.commit(Snapshot(uniqueItems: Self.edited(twin.headItems, edits)), act.note)
      }
    case .apply(_, let target):
      let source = source
      return change(KillAct.copy) { $0.take(source, upTo: target) }
    case .prune(let list, let rule):
      return change(list) {
        $0.prune(to: $0.floor(by: rule, at: act.time), rule: rule, at: act.time)
      }
    case .tag(let list, let name): return change(list) { $0.tag(name, at: act.time) }
    case .vacuum, .backUp: return nil
    }
  }

  private mutating func change(
    _ list: ListName, _ body: (inout ListTwin) -> Void
  ) -> ListModel.Cursor {
    body(&lists[list, default: ListTwin()])
    let twin = lists[list, default: ListTwin()]
    return twin.cursor(of: twin.head)
  }

  /// What edits make of a list that put items at its ends.
  private static func edited(_ items: [Item], _ edits: [Edit]) -> [Item] {
    edits.reduce(into: items) { items, edit in
      guard case .put(let item, let place) = edit else { preconditionFailure("acts only put") }
      items.removeAll { $0.id == item.id }
      items.insert(item, at: place == .first ? 0 : items.count)
    }
  }
}

/// What a store shows of its lists; contents by their checksums.
package struct StoreView: Equatable, Sendable {
  package let lists: [ListName: ListView]

  init(lists: [ListName: ListView]) { self.lists = lists }

  package init(of service: SyncService) async throws {
    var lists: [ListName: ListView] = [:]
    for list in try await service.lists() {
      lists[list.name] = try await ListView(of: list, from: service)
    }
    self.lists = lists
  }
}

package struct ListView: Equatable, Sendable {
  let oldest: Version
  let log: [VersionRecord]
  let tags: [TagRecord]
  let prunes: [PruneRecord]
  let head: Snapshot

  init(_ twin: ListTwin) {
    oldest = twin.oldest
    log = twin.log
    tags = twin.tags.values.sorted { $0.name < $1.name }
    prunes = twin.prunes
    head = twin.snapshots[twin.head.number]
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
    }.sorted().joined(separator: "; ")
  }
}
