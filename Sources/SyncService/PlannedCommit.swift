import ListChanges
import ListDocuments
import ListModel
import ListStore

/// The effect of a request on the newest version of a list, ready to be stored by another
/// transaction.
struct PlannedCommit: Sendable {
  let request: CommitRequest
  /// The list for which the request was made.
  let list: ListRecord
  /// Whether the list must be created.
  let isNew: Bool
  /// The state of the list before.
  let head: ListState
  /// The outcome of a request that was carried out before.
  let found: CommitOutcome?
  /// Non-nil for a merge.
  let merge: MergeReport?
  /// The items of a list that gets its first version.
  let first: ListOutline?
  /// The step from the head; nil for a first version, and for a request that was carried out
  /// before.
  let step: ProvenStep?
  let note: CommitNote
  /// Whether the list gets a rule, a title or a limit.
  let setsSomething: Bool
  /// Nil for a first version, and for a list that stays at its version.
  var plan: StepPlan?

  /// - Throws: as ``SyncService/commit(_:onProgress:)`` does.
  init(
    _ request: CommitRequest, of found: ListRecord?, in reader: ListReader, by service: SyncService,
    _ onProgress: (CommitStage) -> Void = { _ in }
  ) throws {
    onProgress(.readingHead)
    let list = try found ?? request.newList(in: reader)
    var head = try Head(of: list, in: reader)
    (self.request, self.list, isNew, self.head) = (request, list, found == nil, head.state)
    setsSomething = try request.setsSomething(of: list, in: reader)
    let (outcome, merged) = try head.answer(to: request, isNew: isNew, onProgress)
    (self.found, merge) = (outcome, merged?.report)
    if outcome == nil, merged == nil, head.record == nil, case .whole(let list) = request.content,
      list.count > 0
    {
      (first, step) = (list, nil)
      try request.checkIsNotSame()
      try service.check(count: list.count, of: request.list)
    } else if outcome != nil {
      (first, step) = (nil, nil)
    } else {
      let step = try merged?.step ?? head.step(request, onProgress)
      (first, self.step) = (nil, step)
      if merged != nil { try service.check(BareChanges(step.changes), of: request.list) }
      try service.check(count: step.changes.newCount, of: request.list)
      try head.check(step, of: request)
    }
    let standard =
      outcome == nil ? try reader.standardMessage(of: request.content, in: list) : nil
    note = CommitNote(
      time: request.time ?? service.now(), author: request.author,
      message: merged.map { $0.note.message(request.message) } ?? request.message ?? standard)
    if let step, !isNew, !step.changes.isEmpty {
      plan = try head.next(step, note: note)
    }
  }

  /// The outcome, if there is nothing to store.
  var outcome: CommitOutcome? {
    let isEmpty = step?.changes.isEmpty ?? false
    return found ?? (isEmpty && !isNew && !setsSomething ? outcome(of: nil) : nil)
  }

  /// The outcome of a request for the head or of a merge.
  ///
  /// - Parameter record: the new version; nil if there is none.
  func outcome(of record: VersionRecord?) -> CommitOutcome {
    if let merge { return .merged(record, into: head, merge) }
    return record.map { .committed($0) } ?? .unchanged(head)
  }

  /// The changes to the head, and the root that they lead to.
  func changes() throws -> (changes: ChangeSet<Item>, root: Root) {
    if let first { return (Snapshot.empty.changes(to: first.snapshot), first.root) }
    if let step { return (step.changes, step.root) }
    return (try ChangeSet(oldCount: head.count, newCount: head.count), head.root)
  }

  /// The record of version 1.
  func firstRecord(of outline: ListOutline) -> VersionRecord {
    let header = VersionHeader(version: Version(1), note: note, root: outline.root, previous: .zero)
    let counts = ChangeCounts(removed: 0, moved: 0, inserted: outline.count, updated: 0)
    return VersionRecord(header, count: outline.count, changes: counts)
  }
}

extension CommitRequest {
  /// The rule of the request and the one that the list had, if they are two.
  ///
  /// - Parameter remembered: the rule that the list remembers; nil for the standard rule.
  package func changedIDRule(of remembered: String?) -> (rule: String, former: String)? {
    guard case .whole = content, let idRule else { return nil }
    let former = remembered ?? IDRule.standard.text
    return idRule.utf8.elementsEqual(former.utf8) ? nil : (idRule, former)
  }

  /// Whether the list gets a rule, a title or a limit.
  fileprivate func setsSomething(of list: ListRecord, in reader: ListReader) throws -> Bool {
    if let idRule, !list.idRule.hasSameBytes(as: idRule) { return true }
    if list.limits.setting(limits) != list.limits { return true }
    guard let titlePath else { return false }
    return try reader.titlePath(of: list.key) != titlePath
  }
}

extension ListWriter {
  /// - Throws: `StoreError.headMoved` when the list is no longer as it was.
  func execute(_ planned: PlannedCommit) throws -> CommitOutcome {
    let request = planned.request
    if let outcome = planned.found { return outcome }
    if var plan = planned.plan {
      if let rule = request.idRule { plan.set(idRule: rule) }
      if let path = request.titlePath { plan.set(titlePath: path) }
      plan.set(limits: request.limits)
      try append(plan)
      return planned.outcome(of: plan.record)
    }
    let found = try lockedList(request.list)
    guard (found == nil) == planned.isNew else { throw StoreError.headMoved }
    let list = try found ?? (request.beginsAgain ? createList : makeList)(request.list)
    guard try Head(of: list, in: self).state == planned.head else { throw StoreError.headMoved }
    try set(request, of: list)
    if let outline = planned.first {
      let record = planned.firstRecord(of: outline)
      try start(list.key, at: record, with: outline)
      return .committed(record)
    }
    guard let step = planned.step, !step.changes.isEmpty else { return planned.outcome(of: nil) }
    var head = try Head(of: list, in: self)
    return planned.outcome(of: try head.append(step, note: planned.note, in: self))
  }
}

extension ListWriter {
  /// Makes a list visible whose first version is stored.
  ///
  /// - Throws: `StoreError.headMoved` when there is a list of the name, or the version is gone.
  func finish(_ first: FirstVersion, _ planned: PlannedCommit) throws -> CommitOutcome {
    let request = planned.request
    guard try lockedList(request.list) == nil else { throw StoreError.headMoved }
    if !request.beginsAgain { try checkIsNew(request.list) }
    try set(request, of: finish(first))
    return .committed(first.record)
  }

  private func set(_ request: CommitRequest, of list: ListRecord) throws {
    try setIDRule(request.idRule, of: list)
    if let path = request.titlePath { try setTitlePath(path, of: list.key) }
    if !request.limits.isEmpty { try setLimits(request.limits, of: list.key) }
  }
}

extension Head {
  /// The outcome of a request that was carried out before, or the merge of a request for an earlier
  /// version. Both are nil for a request for this head.
  ///
  /// - Throws: as ``SyncService/commit(_:onProgress:)`` does.
  fileprivate mutating func answer(
    to request: CommitRequest, isNew: Bool, _ onProgress: (CommitStage) -> Void
  ) throws -> (CommitOutcome?, MergedRequest?) {
    do {
      try request.check(state)
      return (nil, nil)
    } catch {
      if let outcome = try outcome(ofRepeated: request) { return (outcome, nil) }
      let (merged, outcome) = isNew ? (nil, nil) : try merge(request, onProgress)
      if merged == nil, outcome == nil { throw error }
      return (outcome, merged)
    }
  }

  /// The step from the head that a request asks for.
  ///
  /// - Throws: as ``SyncService/commit(_:onProgress:)`` does.
  fileprivate mutating func step(
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

  /// - Throws: `ServiceError.datedBeforeHead`, `.newIDs`, `.notSame`, `.changesTooMany`.
  fileprivate mutating func check(_ step: ProvenStep, of request: CommitRequest) throws {
    if !step.changes.isEmpty { try checkTime(of: request) }
    try checkIDs(of: request, step.changes)
    try checkSameItems(of: request, step.changes)
    try checkLimits(of: request, step.changes)
  }

  /// - Throws: `ServiceError.datedBeforeHead`.
  private func checkTime(of request: CommitRequest) throws(ServiceError) {
    guard let time = request.time, !request.allowsEarlierTime, let record, time < record.note.time
    else { return }
    throw .datedBeforeHead(time, list: list.name, head: record.version, time: record.note.time)
  }

  /// - Throws: `ServiceError.newIDs`.
  private func checkIDs(
    of request: CommitRequest, _ changes: ChangeSet<Item>
  ) throws(ServiceError) {
    guard let (rule, former) = request.changedIDRule(of: list.idRule), !request.allowsNewIDs,
      changes.oldCount > 0, changes.newCount > 0, changes.removed.count == changes.oldCount
    else { return }
    throw .newIDs(changes.oldCount, list: list.name, rule: rule, former: former)
  }

  /// - Throws: `ServiceError.notSame`.
  private mutating func checkSameItems(
    of request: CommitRequest, _ changes: ChangeSet<Item>
  ) throws {
    if request.sameItems.isEmpty { return }
    let removed = Set(changes.removed.map(\.element.id))
    let inserted = Set(changes.inserted.map(\.element.id))
    let before = try indexes(of: request.sameItems.flatMap { [$0.old, $0.new] })
    for same in request.sameItems {
      let fault: OtherIDFault? =
        if before[same.old] == nil {
          .oldIsAbsent
        } else if !removed.contains(same.old) {
          .oldStays
        } else if before[same.new] != nil {
          .newWasThere
        } else if !inserted.contains(same.new) {
          .newIsAbsent
        } else {
          nil
        }
      if let fault { throw ServiceError.notSame(same, list: list.name, reason: fault) }
    }
  }

  /// - Throws: `ServiceError.changesTooMany`.
  private func checkLimits(
    of request: CommitRequest, _ changes: ChangeSet<Item>
  ) throws(ServiceError) {
    switch request.content {
    case .edits, .revert: return
    case .whole, .changes: break
    }
    let (limits, counts) = (list.limits.setting(request.limits), ChangeCounts(changes))
    for kind in LimitedChange.allCases where !request.forcedChanges.contains(kind) {
      let limit = limits[kind]
      if counts[kind] > limit.highest(of: changes.oldCount) {
        throw .changesTooMany(
          kind, counts[kind], of: changes.oldCount, list: list.name, limit: limit)
      }
    }
  }
}

extension ChangeCounts {
  fileprivate subscript(kind: LimitedChange) -> Int {
    switch kind {
    case .removed: removed
    case .updated: updated
    }
  }
}
