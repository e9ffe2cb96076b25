import ListChanges
import ListModel
import ListStore

extension SyncService {
  /// The position up to which a list was imported from a source; nil if it never was, or if there
  /// is no such list.
  public func importPosition(of source: String, in list: ListName) async throws -> String? {
    try await store.primary.read { reader in
      try reader.list(list).flatMap { try reader.importPosition(of: source, in: $0.key) }
    }
  }

  /// Commits the states of a source as versions of a list, in order. Creates the list with the
  /// first version.
  ///
  /// Each transaction stores several versions and the position that they reach, so an interrupted
  /// import can be continued, with the same result. The source is read in a separate task while
  /// earlier states are stored, and merged when that is due (``compactIfDue(_:moreFollow:)``).
  ///
  /// - Parameters:
  ///   - request: the list, and where the import starts.
  ///   - source: gives the states in order.
  ///   - onStored: called after each transaction with the totals so far.
  /// - Throws: the error of the source, after the states before it are stored;
  ///   `ServiceError.importOvertaken` when another import moved the position; `.notImported` when
  ///   the list has versions but no imports, unless the request goes on from them; `.limit` when a
  ///   state exceeds a limit of the service; `StoreError`.
  /// - Complexity: O(n + m) for each version of m items after one of n; the head is read once.
  public func importStates(
    _ request: ImportRequest, from source: sending any ImportSource,
    onStored: (ImportTally) -> Void = { _ in }
  ) async throws -> ImportTally {
    let batches = ImportBatches(source, limits: request.limits)
    var progress = ImportProgress(position: request.position)
    var batch = await batches.next()
    while !batch.states.isEmpty {
      async let following = batches.next()
      progress = try await store(batch.states, after: progress, for: request)
      onStored(progress.tally)
      // Now and then, so that the store never has many segments. It is not worth failing for.
      if progress.tally.versionCount > 0 {
        _ = try? await compactIfDue(request.list, moreFollow: true)
      }
      if batch.failure != nil { break }
      batch = await following
    }
    if progress.tally.versionCount > 0 { _ = try? await compactIfDue(request.list) }
    if let failure = batch.failure { throw failure }
    return progress.tally
  }

  /// Nil when there is no list.
  private func holdHead(of list: ListName) async throws -> HeldHead? {
    try await store.primary.read { reader in
      guard let list = try reader.list(list) else { return nil }
      let head = try Head(of: list, in: reader)
      return HeldHead(cursor: head.cursor, snapshot: try head.snapshot())
    }
  }

  private func store(
    _ states: [ImportedState], after progress: ImportProgress, for request: ImportRequest
  ) async throws -> ImportProgress {
    for case .version(let snapshot, _) in states.map(\.content) {
      try check(snapshot.items, count: snapshot.items.count, of: request.list)
    }
    // Compares while others may write.
    var known = progress.held
    if known == nil { known = try await holdHead(of: request.list) }
    let held = known ?? HeldHead(cursor: .zero, snapshot: .empty)
    let prepared = ImportedSteps(states, after: held.snapshot)
    return try await store.write { writer in
      var progress = progress
      guard let list = try writer.list(for: request, toHold: states) else {
        progress.tally.skippedCount += states.count
        return progress
      }
      let position = try writer.importPosition(of: request.source, in: list.key)
      guard position.hasSameBytes(as: progress.position) else {
        throw ServiceError.importOvertaken(source: request.source, list: request.list)
      }
      if list.head > .zero, !request.goesOnFromVersions, try !writer.hasImports(into: list.key) {
        throw ServiceError.notImported(list: list.name, head: list.head)
      }
      var head = try Head(of: list, in: writer)
      let steps =
        head.cursor == held.cursor
        ? prepared : ImportedSteps(states, after: try head.snapshot())
      for step in steps.steps {
        let proven = try head.proven(step.changes, from: step.old, to: step.new)
        let version = try head.append(proven, note: step.note, in: writer)
        let count = step.changes.oldCount
        if version.changes.removed > list.usualRemovals(of: count) {
          progress.tally.largeRemovals.append(
            LargeRemoval(position: step.position, version: version, oldCount: count))
        }
      }
      progress.tally.add(steps.tally)
      progress.held = HeldHead(cursor: head.cursor, snapshot: steps.last)
      progress.position = states.last?.position
      if let position = progress.position {
        try writer.setImportPosition(position, of: request.source, in: list.key)
      }
      return progress
    }
  }
}

/// The newest version of a list. It is used only while the list is still at its cursor.
private struct HeldHead: Sendable {
  let cursor: Cursor
  let snapshot: Snapshot
}

/// The state of an import between two transactions.
private struct ImportProgress: Sendable {
  var position: String?
  var tally = ImportTally()
  /// Used only if nobody else has committed since.
  var held: HeldHead?
}

/// The steps between states.
private struct ImportedSteps: Sendable {
  struct Step: Sendable {
    let position: String
    let changes: ChangeSet<Item>
    let old: Snapshot
    let new: Snapshot
    let note: CommitNote
  }

  private(set) var steps: [Step] = []
  private(set) var tally = ImportTally()
  private(set) var last: Snapshot

  init(_ states: [ImportedState], after head: Snapshot) {
    last = head
    for state in states {
      switch state.content {
      case .skipped: tally.skippedCount += 1
      case .unchanged: tally.unchangedCount += 1
      case .version(let next, let note):
        let changes = last.changes(to: next)
        if changes.isEmpty {
          tally.unchangedCount += 1
        } else {
          steps.append(
            Step(position: state.position, changes: changes, old: last, new: next, note: note))
          tally.versionCount += 1
          last = next
        }
      }
    }
  }
}

extension ListRecord {
  /// The most items of `count` that an import removes without a report.
  fileprivate func usualRemovals(of count: Int) -> Int {
    let limit = limits[.removed]
    if limit != .unlimited { return limit.highest(of: count) }
    return max(9, ChangeLimit.percent(50).highest(of: count))
  }
}

extension ListWriter {
  /// The list of an import. Creates it if one of the states is a version; nil if it does not exist
  /// and none is.
  fileprivate func list(
    for request: ImportRequest, toHold states: [ImportedState]
  ) throws -> ListRecord? {
    let hasVersion = states.contains { if case .version = $0.content { true } else { false } }
    let list =
      try lockedList(request.list, for: [.head]) ?? (hasVersion ? makeList(request.list) : nil)
    if let list { try setIDRule(request.idRule, of: list) }
    return list
  }
}

/// Collects states of a source until there are enough for a transaction.
private actor ImportBatches {
  struct Batch: Sendable {
    var states: [ImportedState] = []
    /// The error that the source threw after these states.
    var failure: (any Error)?
  }

  private var source: any ImportSource
  private var hasFailed = false
  private let limits: ImportLimits

  init(_ source: sending any ImportSource, limits: ImportLimits) {
    self.source = source
    self.limits = limits
  }

  /// The next states; none at the end or after a failure.
  func next() -> Batch {
    var batch = Batch()
    if hasFailed { return batch }
    var byteCount = 0
    let end = ContinuousClock.now + limits.duration
    do {
      repeat {
        guard let state = try source.next() else { return batch }
        batch.states.append(state)
        byteCount += state.byteCount
      } while batch.states.count < limits.stateCount && byteCount < limits.byteCount
        && ContinuousClock.now < end
    } catch {
      batch.failure = error
      hasFailed = true
    }
    return batch
  }
}
