import ListModel
import ListStore

/// A pruning of a list by a rule.
public struct PruneRequest: Sendable {
  public let list: ListName
  public let rule: RetentionRule
  /// The author, for the record.
  public var author: String?

  public init(list: ListName, rule: RetentionRule) {
    self.list = list
    self.rule = rule
  }
}

/// The result of a pruning.
public struct PruneOutcome: Equatable, Sendable {
  public let plan: RetentionPlan
  /// The record of the pruning; nil if no version was pruned.
  public let record: PruneRecord?
}

extension SyncService {
  /// The versions that a pruning would remove.
  ///
  /// - Throws: `ServiceError.noSuchList`; as ``Retention/plan(versions:rule:tags:now:)``.
  public func prunePlan(_ request: PruneRequest) async throws -> RetentionPlan {
    let time = now()
    return try await store.read { reader in
      try reader.plan(request.rule, for: reader.existingList(request.list), at: time)
    }
  }

  /// Removes the oldest versions of a list, up to the first version that the rule or a tag keeps.
  ///
  /// The new oldest version and all later ones stay answerable; the step to the new oldest version
  /// is removed. Pruning again by the same rule removes only versions that have come of age since.
  ///
  /// - Throws: as ``prunePlan(_:)``; `StoreError`. The store is then unchanged.
  /// - Complexity: O(r + n log n) for the r changes that the list has kept and the n items of its
  ///   new oldest version.
  public func prune(_ request: PruneRequest) async throws -> PruneOutcome {
    let time = now()
    return try await store.write { writer in
      let list = try writer.existingLockedList(request.list)
      let plan = try writer.plan(request.rule, for: list, at: time)
      guard plan.removed != nil, let floor = plan.floor else {
        return PruneOutcome(plan: plan, record: nil)
      }
      let record = PruneRecord(
        oldOldest: list.oldest, newOldest: floor, prunedAt: time, author: request.author,
        rule: request.rule.description, chain: try writer.record(of: floor, in: list).chain)
      if try writer.newestCheckpoint(of: list.key, notAfter: floor) != floor {
        let items = try writer.storedItems(at: floor, of: list)
        try writer.writeCheckpoint(items, at: floor, of: list.key)
      }
      try writer.prune(record, of: list.key)
      return PruneOutcome(plan: plan, record: record)
    }
  }

  /// The prunings of a list, those of the newest versions first.
  ///
  /// - Throws: `ServiceError.noSuchList`.
  public func prunes(of list: ListName) async throws -> [PruneRecord] {
    try await store.read { try $0.prunes(of: $0.existingList(list).key) }
  }
}

extension ListReader {
  fileprivate func plan(
    _ rule: RetentionRule, for list: ListRecord, at time: Timestamp
  ) throws -> RetentionPlan {
    try Retention.plan(
      versions: datedVersions(of: list), rule: rule, tags: tags(of: list.key), now: time)
  }

  /// Number and time of every version, without all records in memory at once.
  private func datedVersions(of list: ListRecord) throws -> [Retention.DatedVersion] {
    let batchCount = 4096
    guard list.oldest <= list.head else { return [] }
    return try stride(from: list.oldest.number, through: list.head.number, by: batchCount)
      .flatMap { start in
        let end = min(start + batchCount - 1, list.head.number)
        return try versions(Version(start)...Version(end), of: list.key).map {
          Retention.DatedVersion(version: $0.version, time: $0.note.time)
        }
      }
  }
}
