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
  ///   head's without allowing it; `.removesTooMany` when a whole list or changes remove more items
  ///   than the limit allows; errors of looking up when there is no version to revert to; `.limit`
  ///   when the list or an item exceeds a limit of the service; `StoreError`; and
  ///   `CancellationError` when the task is cancelled before the version is stored. The store is
  ///   then unchanged.
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
  /// - Returns: the outcome, and whether segments of the list should be merged now:
  ///   ``compactIfDue(_:moreFollow:)``.
  /// - Throws: as ``commit(_:onProgress:)``, and what `make` throws.
  public func commit(
    to list: ListName, onProgress: @escaping @Sendable (CommitStage) -> Void = { _ in },
    _ make: @escaping @Sendable (_ idRule: String?) throws -> CommitRequest
  ) async throws -> (outcome: CommitOutcome, isMergeDue: Bool) {
    try await commit(to: list, [.head], onProgress) { idRule in
      let request = try make(idRule)
      try check(request.content, of: list)
      return request
    }
  }

  /// - Parameter queries: the readings that will follow, as far as they are known.
  private func commit(
    to list: ListName, _ queries: [ListQuery],
    _ onProgress: @escaping @Sendable (CommitStage) -> Void,
    _ make: @escaping @Sendable (_ idRule: String?) throws -> CommitRequest
  ) async throws -> (outcome: CommitOutcome, isMergeDue: Bool) {
    var last: Proposal?
    // Reads the head, compares, and looks everything up, while others may write.
    for _ in 0..<Self.attemptCount {
      try Task.checkCancellation()
      let proposal = try await store.primary.read { [last] reader in
        let found = try reader.list(list, for: queries)
        return try self.proposal(for: found, in: reader, after: last, onProgress, make)
      }
      if let outcome = proposal.outcome { return (outcome, false) }
      try Task.checkCancellation()
      onProgress(.writing)
      do {
        return (try await carryOut(proposal), proposal.plan?.plan.isMergeDue ?? false)
      } catch StoreError.headMoved {
        last = proposal
      }
    }
    // The list moves too fast: now the others wait.
    return try await store.write { [last] writer in
      let found = try writer.list(list, for: queries)
      return (
        try writer.carryOut(self.proposal(for: found, in: writer, after: last, onProgress, make)),
        true
      )
    }
  }

  /// - Parameter last: what the request made of an earlier head.
  private func proposal(
    for list: ListRecord?, in reader: ListReader, after last: Proposal?,
    _ onProgress: (CommitStage) -> Void, _ make: (_ idRule: String?) throws -> CommitRequest
  ) throws -> Proposal {
    var request = last?.request
    if last == nil || !(last?.idRule.hasSameBytes(as: list?.idRule) ?? false) {
      request = try make(list?.idRule)
    }
    guard let request else { preconditionFailure("a request was made") }
    return try Draft(request, of: list, in: reader, by: self, onProgress)
      .proposal(at: request.time ?? now())
  }

  /// Stores what a request asks for. A long version is stored in several transactions, so that
  /// other writers wait for short ones only.
  ///
  /// - Throws: `StoreError.headMoved` when the list is no longer as it was.
  private func carryOut(_ proposal: Proposal) async throws -> CommitOutcome {
    if let long = proposal.plan?.plan.longMerge {
      return try await storeBlocks(of: long) { stored in
        var proposal = proposal
        proposal.plan?.plan.longMerge = stored
        return try await store.write { [proposal] in try $0.carryOut(proposal) }
      }
    }
    guard proposal.isNew, case .first(let outline) = proposal.next, Self.isLong(outline) else {
      return try await store.write { try $0.carryOut(proposal) }
    }
    let first = try await store.write {
      try $0.begin(proposal.request.list, at: proposal.firstRecord(of: outline), with: outline)
    }
    do {
      try await storeRows(of: first)
      return try await store.write { try $0.finish(first, proposal) }
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

  /// The changes that a commit would make.
  ///
  /// - Throws: as ``commit(_:onProgress:)`` does.
  public func preview(_ request: CommitRequest) async throws -> Delta {
    try await previewMerge(request).delta
  }

  /// The changes that a commit would make to the head.
  ///
  /// - Returns: the changes; and what each side changed, if the commit would be merged.
  /// - Throws: as ``commit(_:onProgress:)`` does.
  public func previewMerge(
    _ request: CommitRequest
  ) async throws -> (delta: Delta, report: MergeReport?) {
    try check(request.content, of: request.list)
    return try await store.read { reader in
      let list = try reader.list(request.list, for: request.queries)
      let draft = try Draft(request, of: list, in: reader, by: self)
      let delta = Delta(
        list: request.list, from: draft.head.state,
        to: ListState(cursor: nil, count: draft.next.count, root: draft.next.root),
        oldest: draft.isNew ? nil : draft.head.list.oldest, changes: draft.next.changes)
      return (delta, draft.merge?.report)
    }
  }

  /// The changes that the first commit of a list would make. Needs no store.
  ///
  /// - Throws: as ``checkWithoutStore(_:)`` does; `ServiceError.noSuchList` for edits; `.misfit`
  ///   when changes lead to another state than the request says.
  public static func previewWithoutStore(_ request: CommitRequest) throws -> Delta {
    try checkWithoutStore(request)
    let snapshot: Snapshot
    switch request.content {
    case .whole(let whole): snapshot = whole.snapshot
    case .changes(let changes, _, let to):
      let items = changes.inserted.map(\.item)
      guard let whole = try? Snapshot(items),
        to == nil || request.content.leads(to: ListState(of: whole))
      else {
        let target = to.map { "to the root \($0.root)" } ?? "from the empty list to a list"
        throw ServiceError.misfit(list: request.list, reason: "they do not lead \(target)")
      }
      snapshot = whole
    case .edits, .revert: throw ServiceError.noSuchList(request.list)
    }
    return Delta(
      list: request.list, from: .zero, to: ListState(of: snapshot), oldest: nil,
      changes: Snapshot.empty.changes(to: snapshot))
  }

  /// Checks the expectation of a request where there is no store yet.
  ///
  /// - Throws: `ServiceError.expectationFailed` or `.notTheStart` for another state than version 0.
  public static func checkWithoutStore(_ request: CommitRequest) throws {
    try request.check(.zero)
  }
}

extension CommitRequest {
  /// The readings of the list that the request needs, as far as they are known without reading it.
  fileprivate var queries: [ListQuery] {
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
  /// - Throws: errors of looking up if it may not create one.
  fileprivate func newList(in reader: ListReader) throws -> ListRecord {
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

/// The version that a request asks for.
private enum RequestedVersion: Sendable {
  /// The first one of a list, with all items.
  case first(ListOutline)
  /// The one after the head.
  case next(ProvenStep)

  var isEmpty: Bool { if case .next(let step) = self { step.changes.isEmpty } else { false } }

  var count: Int {
    switch self {
    case .first(let list): list.count
    case .next(let step): step.changes.newCount
    }
  }

  var root: Root {
    switch self {
    case .first(let list): list.root
    case .next(let step): step.root
    }
  }

  var changes: ChangeSet<Item> {
    switch self {
    case .first(let list): Snapshot.empty.changes(to: list.snapshot)
    case .next(let step): step.changes
    }
  }
}

/// What a request makes of the newest version of a list, within one transaction.
private struct Draft {
  let request: CommitRequest
  private(set) var head: Head
  let isNew: Bool
  /// The outcome of a request that was carried out before; nil if it is for the head.
  let found: CommitOutcome?
  /// Non-nil if the request was made from another version than the head.
  let merge: MergedRequest?
  let next: RequestedVersion

  /// - Throws: as ``SyncService/commit(_:holding:onProgress:)`` does.
  init(
    _ request: CommitRequest, of list: ListRecord?, in reader: ListReader, by service: SyncService,
    _ onProgress: (CommitStage) -> Void = { _ in }
  ) throws {
    self.request = request
    isNew = list == nil
    onProgress(.readingHead)
    head = try Head(of: list ?? request.newList(in: reader), in: reader)
    var (outcome, merged): (CommitOutcome?, MergedRequest?)
    do {
      try request.check(head.state)
    } catch {
      outcome = try head.outcome(ofRepeated: request)
      if outcome == nil, !isNew { (merged, outcome) = try head.merge(request, onProgress) }
      if merged == nil, outcome == nil { throw error }
    }
    (found, merge) = (outcome, merged)
    if found != nil {
      let count = head.state.count
      next = .next(try head.proven(ChangeSet(oldCount: count, newCount: count)))
      return
    }
    if let merged {
      next = .next(merged.step)
      try service.check(BareChanges(merged.step.changes), of: request.list)
    } else {
      next = try head.next(request, onProgress)
    }
    try service.check(count: next.count, of: request.list)
    guard case .next(let step) = next else { return }
    if !step.changes.isEmpty { try head.checkTime(of: request) }
    try head.checkRemovals(of: request, step.changes)
  }

  consuming func proposal(at time: Timestamp) throws -> Proposal {
    let standard =
      found == nil ? try head.reader.standardMessage(of: request.content, in: head.list) : nil
    let note = CommitNote(
      time: time, author: request.author,
      message: merge.map { $0.note.message(request.message) } ?? request.message ?? standard)
    let state = head.state
    var plan: NextVersion?
    if !isNew, !next.isEmpty, case .next(let step) = next {
      plan = try head.next(step, note: note)
    }
    return Proposal(
      request: request, idRule: isNew ? nil : head.list.idRule, isNew: isNew, found: found,
      merge: merge?.report, head: state, next: next, note: note,
      setsSomething: try setsSomething, plan: plan)
  }

  /// Whether the list gets a rule, a title or a limit.
  private var setsSomething: Bool {
    get throws {
      if let rule = request.idRule, !head.list.idRule.hasSameBytes(as: rule) { return true }
      if let limit = request.removalLimit, limit != head.list.removalLimit { return true }
      guard let path = request.titlePath else { return false }
      return try head.reader.titlePath(of: head.list.key) != path
    }
  }
}

/// What a request makes of the newest version of a list, ready to be stored by another transaction.
private struct Proposal: Sendable {
  let request: CommitRequest
  /// The rule of the list for which the request was made.
  let idRule: String?
  /// Whether the list must be created.
  let isNew: Bool
  /// The outcome of a request that was carried out before.
  let found: CommitOutcome?
  /// Non-nil for a merge.
  let merge: MergeReport?
  let head: ListState
  let next: RequestedVersion
  let note: CommitNote
  /// Whether the list gets a rule, a title or a limit.
  let setsSomething: Bool
  /// Nil for a first version, and for a list that stays at its version.
  var plan: NextVersion?

  /// The outcome, if there is nothing to store.
  var outcome: CommitOutcome? {
    found ?? (next.isEmpty && !isNew && !setsSomething ? outcome(of: nil) : nil)
  }

  /// The outcome of a request for the head or of a merge.
  ///
  /// - Parameter record: the new version; nil if there is none.
  func outcome(of record: VersionRecord?) -> CommitOutcome {
    if let merge { return .merged(record, into: head, merge) }
    return record.map { .committed($0) } ?? .unchanged(head)
  }

  /// The record of version 1.
  func firstRecord(of outline: ListOutline) -> VersionRecord {
    let header = VersionHeader(version: Version(1), note: note, root: outline.root, previous: .zero)
    let counts = ChangeCounts(removed: 0, moved: 0, inserted: outline.count, updated: 0)
    return VersionRecord(header, count: outline.count, changes: counts)
  }
}

extension ListWriter {
  /// - Throws: `StoreError.headMoved` when the list is no longer as it was.
  fileprivate func carryOut(_ proposal: Proposal) throws -> CommitOutcome {
    let request = proposal.request
    if let outcome = proposal.found { return outcome }
    if var version = proposal.plan {
      if let rule = request.idRule { version.plan.set(idRule: rule) }
      if let path = request.titlePath { version.plan.set(titlePath: path) }
      if let limit = request.removalLimit { version.plan.set(removalLimit: limit) }
      try append(version.plan, version.record)
      return proposal.outcome(of: version.record)
    }
    let found = try list(request.list)
    guard (found == nil) == proposal.isNew else { throw StoreError.headMoved }
    let list = try found ?? (request.beginsAgain ? createList : makeList)(request.list)
    guard try Head(of: list, in: self).state == proposal.head else { throw StoreError.headMoved }
    try set(request, of: list)
    switch proposal.next {
    case .first(let outline):
      let record = proposal.firstRecord(of: outline)
      try start(list.key, at: record, with: outline)
      return .committed(record)
    case .next(let step) where step.changes.isEmpty: return proposal.outcome(of: nil)
    case .next(let step):
      var head = try Head(of: list, in: self)
      return proposal.outcome(of: try head.append(step, note: proposal.note, in: self))
    }
  }
}

extension ListWriter {
  /// Makes a list visible whose first version is stored.
  ///
  /// - Throws: `StoreError.headMoved` when there is a list of the name, or the version is gone.
  fileprivate func finish(_ first: FirstVersion, _ proposal: Proposal) throws -> CommitOutcome {
    let request = proposal.request
    guard try list(request.list) == nil else { throw StoreError.headMoved }
    if !request.beginsAgain { try checkIsNew(request.list) }
    try set(request, of: finish(first))
    return .committed(first.record)
  }

  private func set(_ request: CommitRequest, of list: ListRecord) throws {
    try setIDRule(request.idRule, of: list)
    if let path = request.titlePath { try setTitlePath(path, of: list.key) }
    if let limit = request.removalLimit { try setRemovalLimit(limit, of: list.key) }
  }
}

extension Head {
  /// The version that a request asks for.
  ///
  /// - Throws: as ``SyncService/commit(_:holding:onProgress:)`` does.
  fileprivate mutating func next(
    _ request: CommitRequest, _ onProgress: (CommitStage) -> Void
  ) throws -> RequestedVersion {
    if case .whole(let list) = request.content, record == nil, list.count > 0 {
      return .first(list)
    }
    return .next(try step(request, onProgress))
  }

  /// The step from the head that a request asks for.
  private mutating func step(
    _ request: CommitRequest, _ onProgress: (CommitStage) -> Void
  ) throws -> ProvenStep {
    switch request.content {
    case .whole(let new):
      onProgress(.comparing)
      return try step(to: new)
    case .changes(let changes, _, let to):
      let step = try proven(step(changes))
      if let to, (step.changes.newCount, step.root) != (to.count, to.root) {
        throw ServiceError.misfit(
          list: request.list,
          reason: "they lead to the root \(step.root), not to \(to.root)")
      }
      return step
    case .edits(let edits): return try proven(step(edits))
    case .revert(let revision): return try revert(to: reader.state(of: revision, in: list))
    }
  }

  /// - Throws: `ServiceError.datedBeforeHead`.
  fileprivate func checkTime(of request: CommitRequest) throws(ServiceError) {
    guard let time = request.time, !request.allowsEarlierTime, let record, time < record.note.time
    else { return }
    throw .datedBeforeHead(time, list: list.name, head: record.version, time: record.note.time)
  }

  /// - Throws: `ServiceError.removesTooMany`.
  fileprivate func checkRemovals(
    of request: CommitRequest, _ changes: ChangeSet<Item>
  ) throws(ServiceError) {
    let limit = request.removalLimit ?? list.removalLimit
    switch request.content {
    case .edits, .revert: return
    case .whole, .changes:
      guard !request.forcesRemovals, changes.removed.count > limit.highest(of: changes.oldCount)
      else { return }
      throw .removesTooMany(
        changes.removed.count, of: changes.oldCount, list: list.name, limit: limit)
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
