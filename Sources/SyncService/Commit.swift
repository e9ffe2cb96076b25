import ListChanges
import ListModel
import ListStore

extension SyncService {
  /// Commits the next version of a list. Creates the list if the request can start from version 0.
  ///
  /// A request that leads to the head makes no version. A repeated request, whose first answer was
  /// lost, also makes none and is not refused, whatever others have committed since: the version
  /// after the expected one then has the items that the request leads to. See
  /// ``CommitOutcome/found(_:isOwn:)``. A request with ``CommitRequest/merging`` is merged if the
  /// head is not the expected version. Moves are made canonical. The message of a revert without
  /// one names the version that it reverts to.
  ///
  /// - Parameters:
  ///   - request: the list, its next state, and the expected head.
  ///   - onProgress: called at the beginning of each stage.
  /// - Throws: `ServiceError.gone` when the list was dropped or renamed, unless the request begins
  ///   it again; `.expectationFailed` when the head is not the expected one, and the request was
  ///   not carried out before, or its version after the expected one is pruned; `.conflicts`,
  ///   `.tooOld`, `.diverged` and `.noSuchVersion` when a request cannot be merged;
  ///   `.notTheStart` when changes start from another state; `.misfit` when changes do not fit the
  ///   head or lead to another state than the request says; `.itemAbsent` and `.noSuchPlace` when
  ///   the list lacks the item or index that an edit names; `.besideItself` when an edit names an
  ///   item as its own neighbour; `.datedBeforeHead` when the request gives a time before the
  ///   head's without allowing it; `.changesTooMany` when a whole list or changes remove or update
  ///   more items than the limit allows; `.newIDs` when another rule found the ids of a whole list,
  ///   and all are other ones; `.notSame` when an item cannot have got another id; errors of
  ///   looking up when there is no version to revert to; `.limit` when the list or an item exceeds
  ///   a limit of the service; `StoreError`; and `CancellationError` when the task is cancelled
  ///   before the version is stored. The store is then unchanged.
  /// - Complexity: for a whole list of m items and a head of n items O((n + m) / 1000), and reading
  ///   and comparing the groups of both that the other does not have; for d changes or edits
  ///   O(n / 1000 + d log d), without reading the list; for a revert the same, d being the changes
  ///   since the version, or O(n + m) keys if those are fewer. A revert reads only texts that
  ///   change, and their neighbours' ids. `OutlineCommitTests`,
  ///   `EditingTests.rowsReadGrowLinearlyWithTheEdits` and `RevertTests` count.
  public func commit(
    _ request: CommitRequest, onProgress: @escaping @Sendable (CommitStage) -> Void = { _ in }
  ) async throws -> CommitOutcome {
    try check(request.content, of: request.list)
    return try await commit(to: request.list, request.queries, onProgress) { _ in request }.outcome
  }

  /// Commits the next version of a list, of which the request is made when the list was found. So
  /// one transaction finds both the rule by which a file is read, and the head.
  ///
  /// - Parameters:
  ///   - list: the list.
  ///   - onProgress: called at the beginning of each stage.
  ///   - make: makes the request for the list; gets the rule by which ids are found in the list's
  ///     files, nil if no commit gave one. It is called again if the rule has changed meanwhile.
  ///     The transaction waits for it, so that it should read no pipe and no network.
  /// - Returns: the outcome; whether segments of the list should be merged now, see
  ///   ``compactIfDue(_:moreFollow:)``; and the changes from the head, nil for a first version.
  /// - Throws: as ``commit(_:onProgress:)``, and what `make` throws.
  public func commit(
    to list: ListName, onProgress: @escaping @Sendable (CommitStage) -> Void = { _ in },
    _ make: @escaping @Sendable (_ idRule: String?) throws -> CommitRequest
  ) async throws -> (outcome: CommitOutcome, isMergeDue: Bool, changes: ChangeSet<Item>?) {
    try await commit(to: list, [.head], onProgress) { idRule in
      let request = try make(idRule)
      try check(request.content, of: list)
      return request
    }
  }

  /// - Parameter queries: the known readings that will follow.
  private func commit(
    to list: ListName, _ queries: [ListQuery],
    _ onProgress: @escaping @Sendable (CommitStage) -> Void,
    _ make: @escaping @Sendable (_ idRule: String?) throws -> CommitRequest
  ) async throws -> (outcome: CommitOutcome, isMergeDue: Bool, changes: ChangeSet<Item>?) {
    var last: PlannedCommit?
    // Reads the head, compares, and looks everything up, while others may write.
    for _ in 0..<Self.attemptCount {
      try Task.checkCancellation()
      let planned = try await store.primary.read { [last] reader in
        let found = try reader.list(list, for: queries)
        return try self.plan(for: found, in: reader, after: last, onProgress, make)
      }
      if let outcome = planned.outcome { return (outcome, false, nil) }
      try Task.checkCancellation()
      onProgress(.writing)
      do {
        let isMergeDue = planned.plan?.isMergeDue ?? false
        return (try await execute(planned), isMergeDue, planned.step?.changes)
      } catch StoreError.headMoved {
        last = planned
      }
    }
    // The list moves too fast: now the others wait.
    return try await store.write { [last] writer in
      let found = try writer.lockedList(list, for: queries)
      let planned = try self.plan(for: found, in: writer, after: last, onProgress, make)
      return (try writer.execute(planned), true, planned.step?.changes)
    }
  }

  /// - Parameter last: what the request made of an earlier head.
  private func plan(
    for list: ListRecord?, in reader: ListReader, after last: PlannedCommit?,
    _ onProgress: (CommitStage) -> Void, _ make: (_ idRule: String?) throws -> CommitRequest
  ) throws -> PlannedCommit {
    var request = last?.request
    if last == nil || !(last?.list.idRule.hasSameBytes(as: list?.idRule) ?? false) {
      request = try make(list?.idRule)
    }
    guard let request else { preconditionFailure("a request was made") }
    return try PlannedCommit(request, of: list, in: reader, by: self, onProgress)
  }

  /// Stores what a request asks for. A long version is stored in several transactions, so that
  /// other writers wait for short ones only.
  ///
  /// - Throws: `StoreError.headMoved` when the list is no longer as it was.
  private func execute(_ planned: PlannedCommit) async throws -> CommitOutcome {
    if let long = planned.plan?.longMerge {
      return try await storeBlocks(of: long) { stored in
        var planned = planned
        planned.plan?.longMerge = stored
        return try await store.write { [planned] in try $0.execute(planned) }
      }
    }
    guard planned.isNew, let outline = planned.first, Self.isLong(outline) else {
      return try await store.write { try $0.execute(planned) }
    }
    let first = try await store.write {
      try $0.begin(planned.request.list, at: planned.firstRecord(of: outline), with: outline)
    }
    do {
      try await storeRows(of: first)
      return try await store.write { try $0.finish(first, planned) }
    } catch {
      // The disk may be full of it, or the task cancelled.
      await Task { try? await store.write { try $0.discard(first.list) } }.value
      throw error
    }
  }

  private func storeRows(of first: FirstVersion) async throws {
    do {
      while case let rows = try await first.rows(), !rows.isEmpty {
        try Task.checkCancellation()
        try await store.write { try $0.store(rows, of: first) }
      }
    } catch StoreError.unreachable {
      // Nobody saw the rows, so that the commit can be prepared again.
      throw StoreError.headMoved
    }
  }

  /// Whether a first version is stored in several transactions.
  private static func isLong(_ outline: ListOutline) -> Bool {
    guard outline.count <= 4096, let items = outline.snapshotInMemory?.items else { return true }
    return items.reduce(0) { $0 + $1.content.bytes.count } > 1 << 20
  }

  /// How often a commit is prepared again because the list moved meanwhile.
  private static let attemptCount = 3
}

extension CommitRequest {
  /// Checks a request for an empty list, in which no item can get another id.
  ///
  /// - Throws: `ServiceError.notSame`.
  func checkIsNotSame() throws(ServiceError) {
    guard let same = sameItems.first else { return }
    throw .notSame(same, list: list, reason: .oldIsAbsent)
  }

  /// The readings that the request needs, if they are known before the list is read.
  var queries: [ListQuery] {
    switch content {
    case .whole: [.head]
    case .changes(let changes, _, _): [.head, .ids(changes.inserted.map(\.item.id)), .texts]
    case .edits(let edits): [.head, .ids(edits.flatMap(\.ids)), .texts]
    case .revert: [.head, .texts]
    }
  }

  /// Whether the request creates a list that does not exist.
  fileprivate var makesList: Bool {
    switch content {
    case .whole: true
    case .changes(_, let from, _): ListState.zero.isState(from)
    case .edits, .revert: false
    }
  }

  /// The list that the request creates.
  ///
  /// - Throws: `ServiceError` of looking up if it may not create one.
  func newList(in reader: ListReader) throws -> ListRecord {
    if expected == [.head] {
      try reader.checkIsNew(list)
      throw ServiceError.expectationFailed(expected: expected, list: list, head: .zero)
    }
    guard makesList else { return try reader.existingList(list) }
    if !beginsAgain { try reader.checkIsNew(list) }
    return reader.listToCreate(list)
  }

  /// Checks that the request is for a state.
  ///
  /// - Throws: `ServiceError.notTheStart`, `.expectationFailed`.
  func check(_ state: ListState) throws(ServiceError) {
    let head = state.knownCursor
    if case .changes(_, let start, _) = content, !state.isState(start) {
      throw .notTheStart(expected: start.cursor, list: list, head: head)
    }
    try expected.check(head, of: list)
  }
}

extension CommitRequest.Content {
  /// Whether the content, if it names no version of the list, leads to a state from any start.
  func leads(to state: ListState) -> Bool {
    switch self {
    case .whole(let list): list.count == state.count && list.root == state.root
    case .changes(_, _, let to): to?.hasSameItems(as: state) ?? false
    case .edits, .revert: false
    }
  }
}

extension ListState {
  /// Whether another state is this one. Without a cursor, count and root decide.
  func isState(_ other: ListState) -> Bool {
    hasSameItems(as: other) && (other.cursor == nil || other.cursor == cursor)
  }

  func hasSameItems(as other: ListState) -> Bool {
    count == other.count && root == other.root
  }
}

extension [Revision] {
  func areMet(by head: Cursor) -> Bool { isEmpty || contains { $0.names(head) } }

  /// - Throws: `ServiceError.expectationFailed` when the head is none of them.
  func check(_ head: Cursor, of list: ListName) throws(ServiceError) {
    if areMet(by: head) { return }
    throw .expectationFailed(expected: self, list: list, head: head)
  }
}

extension ListWriter {
  /// Stores the rule by which ids are found in a list's snapshot files, unless it is nil or known.
  func setIDRule(_ idRule: String?, of list: ListRecord) throws {
    if let idRule, !list.idRule.hasSameBytes(as: idRule) { try setIDRule(idRule, of: list.key) }
  }
}

extension String? {
  /// Swift's own equality is canonical equivalence: a composed "é" equals a decomposed one.
  func hasSameBytes(as other: String?) -> Bool {
    map { Array($0.utf8) } == other.map { Array($0.utf8) }
  }
}
