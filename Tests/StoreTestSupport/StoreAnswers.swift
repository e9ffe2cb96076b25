import ListModel
import ListStore
import SyncService

/// All that a store says of its lists, as values to compare: two stores with equal answers cannot
/// be told apart by reading them.
///
/// For small stores: deltas are asked for between any two versions.
package struct StoreAnswers: Equatable, Sendable {
  package private(set) var lists: [ListName: ListAnswers] = [:]

  package init(lists: [ListName: ListAnswers]) { self.lists = lists }

  /// - Throws: what the service throws; a sound store answers everything.
  package init(of service: SyncService) async throws {
    for list in try await service.lists() {
      lists[list.name] = try await ListAnswers(of: list, from: service)
    }
  }
}

/// All that a store says of one list.
package struct ListAnswers: Equatable, Sendable {
  package struct Pair: Hashable, Sendable {
    package let from: Version
    package let to: Version

    package init(from: Version, to: Version) {
      self.from = from
      self.to = to
    }
  }

  package let summary: ListSummary
  package let idRule: String?
  package let log: [VersionRecord]
  package let tags: [TagEntry]
  package private(set) var snapshots: [Version: Snapshot] = [:]
  package private(set) var deltas: [Pair: Delta] = [:]
  package private(set) var histories: [ItemID: [ItemChange]] = [:]

  package init(
    summary: ListSummary, idRule: String?, log: [VersionRecord], tags: [TagEntry],
    snapshots: [Version: Snapshot], deltas: [Pair: Delta],
    histories: [ItemID: [ItemChange]]
  ) {
    self.summary = summary
    self.idRule = idRule
    self.log = log
    self.tags = tags
    self.snapshots = snapshots
    self.deltas = deltas
    self.histories = histories
  }

  package init(of list: ListSummary, from service: SyncService) async throws {
    summary = list
    idRule = try await service.idRule(of: list.name)
    log = try await service.log(of: list.name)
    tags = try await service.tags(of: list.name)
    let versions = [.zero] + log.map(\.version)
    for version in versions {
      snapshots[version] =
        try await service.snapshot(of: list.name, at: .version(version)).snapshot
      for other in versions {
        deltas[Pair(from: version, to: other)] = try await service.delta(
          of: list.name, since: .version(version), to: .version(other))
      }
    }
    for id in Set(snapshots.values.flatMap { $0.items.map(\.id) }) {
      histories[id] = try await service.history(of: id, in: list.name)
    }
  }
}
