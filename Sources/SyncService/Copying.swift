import ListModel
import ListStore

/// The result of copying a list from another store.
public struct CopyOutcome: Equatable, Sendable {
  public let list: ListName
  /// The number of versions that were added; a base counts as one.
  public fileprivate(set) var addedCount = 0
  /// The number of tags that were set.
  public fileprivate(set) var tagCount = 0
  /// Tags, title and limits of the source that the list here does not get.
  public fileprivate(set) var leftOut: [SkippedMetadata] = []
  public fileprivate(set) var head: ListState
}

extension SyncService {
  /// Copies a list from another store, whatever its engine: all versions with their cursors, the
  /// tags, the id rule, the title and the limits of changes. Goes on where the list ends here.
  ///
  /// Each batch of versions is a transaction of its own, so a copy that was interrupted can be
  /// repeated. Every version is verified as in ``apply(as:onProgress:from:)``. Tokens, records of
  /// former names, and positions of imports are not copied. A tag, title or limit that the list
  /// here has already stays, and a tag of a version that was pruned is left out.
  ///
  /// - Parameters:
  ///   - name: the list, in both stores.
  ///   - source: the service of the other store.
  ///   - onProgress: called with each version before it is verified.
  /// - Throws: `ServiceError` of looking up; `ServiceError.diverged` when the list here has another
  ///   history; `.tooOld` when the source was pruned past its end; `.endsTooOld` when the list here
  ///   was pruned past the end of the source; as ``apply(as:onProgress:from:)``.
  /// - Complexity: memory for a batch of 4,096 changes or one version, and for the items of the
  ///   oldest version if older ones were pruned.
  public func copy(
    _ name: ListName, from source: SyncService,
    onProgress: @escaping @Sendable (Version) -> Void = { _ in }
  ) async throws -> CopyOutcome {
    let here = try await store.read { reader in
      try reader.list(name).map { try reader.state(of: $0.head, in: $0) }
    }
    var outcome = CopyOutcome(list: name, head: here ?? .zero)
    var request = ExportRequest(list: name)
    if outcome.head.version > .zero { request.since = outcome.head.cursor.map { .cursor($0) } }
    let there = try await source.state(of: ListRevision(name))
    // The list may go on here.
    let isLonger = there.version < outcome.head.version
    let hasAll = isLonger ? try await has(there, of: name) : false
    if !hasAll {
      do {
        try await copy(source.export(request), into: &outcome, onProgress)
      } catch ServiceError.emptyBundle {
        // The list here has all versions.
      }
    }
    try await copyMarks(from: source, &outcome)
    return outcome
  }

  /// Whether a list has a version of another store.
  ///
  /// - Throws: `ServiceError.endsTooOld` when that version is among those that were pruned here.
  private func has(_ state: ListState, of name: ListName) async throws -> Bool {
    do {
      _ = try await self.state(of: ListRevision(name, .cursor(state.knownCursor)))
      return true
    } catch ServiceError.diverged {
      return false
    } catch ServiceError.tooOld(_, _, let oldest, _) {
      let oldest = try await self.state(of: ListRevision(name, .version(oldest)))
      throw ServiceError.endsTooOld(
        target: state.knownCursor, list: name, oldest: oldest.knownCursor)
    }
  }

  private func copy(
    _ export: BundleExport, into outcome: inout CopyOutcome,
    _ onProgress: @escaping @Sendable (Version) -> Void
  ) async throws {
    var export = export
    var start = export.header.start
    var events: [BundleEvent] = []
    var isComplete = false
    repeat {
      let batch = try await export.nextBatch()
      events += batch
      isComplete = batch.isEmpty
      // The items of a base are applied together with the first steps.
      guard isComplete || events.last?.isStep == true else { continue }
      if isComplete, events.isEmpty, outcome.addedCount > 0 { break }
      let header = BundleHeader(
        list: export.header.list, idRule: export.header.idRule, start: start,
        target: events.last?.state ?? start.state)
      let part = KeptBundle(of: header, events)
      let applied = try await apply(onProgress: onProgress) { part }
      outcome.addedCount += applied.addedCount
      outcome.head = applied.head
      // As in an import.
      _ = try? await compactIfDue(export.header.list, moreFollow: true)
      start = .prerequisite(header.target)
      events = []
    } while !isComplete
    _ = try? await compactIfDue(export.header.list)
  }

  /// Copies the tags, title and limits of a list whose versions are here.
  private func copyMarks(from source: SyncService, _ outcome: inout CopyOutcome) async throws {
    let name = outcome.list
    let marks = try await source.store.read { try $0.marks(of: $0.existingList(name)) }
    var plan = try await store.read { try $0.plan(marks, for: $0.existingList(name)) }
    if plan.addsSomething {
      plan = try await store.write { writer in
        let list = try writer.existingLockedList(name)
        let plan = try writer.plan(marks, for: list)
        for tag in plan.tags { try writer.setTag(tag, of: list.key) }
        if let title = plan.title { try writer.setTitlePath(title, of: list.key) }
        if !plan.limits.isEmpty { try writer.setLimits(plan.limits, of: list.key) }
        return plan
      }
    }
    (outcome.tagCount, outcome.leftOut) = (plan.tags.count, plan.leftOut)
  }
}

extension BundleEvent {
  fileprivate var isStep: Bool { if case .step = self { true } else { false } }

  /// The state that a step leads to.
  fileprivate var state: ListState? {
    if case .step(let step) = self { step.to } else { nil }
  }
}
