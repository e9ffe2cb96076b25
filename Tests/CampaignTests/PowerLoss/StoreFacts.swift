import ListModel
import SyncService

/// The data that a store must not lose: versions with their chains and bytes, and tags.
struct StoreFacts: Equatable, Sendable {
  struct ListFacts: Equatable, Sendable {
    let oldest: Version
    let log: [VersionRecord]
    let snapshots: [Snapshot]
    let tags: [TagEntry]
  }

  private(set) var lists: [ListName: ListFacts] = [:]

  init() {}

  init(of service: SyncService) async throws {
    for list in try await service.lists() {
      let log = try await service.log(of: list.name)
      var snapshots: [Snapshot] = []
      for record in log {
        snapshots.append(
          try await service.snapshot(of: list.name, at: .version(record.version)).snapshot)
      }
      lists[list.name] = ListFacts(
        oldest: list.oldest, log: log, snapshots: snapshots,
        tags: try await service.tags(of: list.name))
    }
  }
}
