import ListChanges
import ListModel

/// The next version of a list as rows. Everything that the rows reference is known already, so a
/// transaction can store them without reading.
public struct StepPlan: Sendable {
  public let record: VersionRecord
  /// The row of the list that the version follows.
  let base: ListRow
  /// The row of the list after the step, except for its sum of the digests of ids.
  private(set) var row: ListRow
  /// The making of the segment with its changes; nil if it has none, or they are stored later.
  private(set) var merge: SegmentMerge?
  /// The blocks of the segment, if it is short.
  let blocks: [StoredBlock]
  /// The changes that are stored later.
  let changes: [NewChange]
  let ids: IDRows
  /// The parts of the head that change.
  let parts: [HeadOrder.Part]
  let droppedRanks: [Int64]
  /// The items of the version, if it gets a checkpoint.
  let checkpoint: [StoredItem]?

  /// Whether segments of the list should be merged after the version was stored; always true if its
  /// changes are stored later.
  public var isMergeDue: Bool { merge?.leavesMergeDue ?? !changes.isEmpty }

  /// The number of bytes of changes from which a segment is long.
  static let longByteCount = 1 << 20

  /// The making of a long segment, whose blocks should be stored before the version. Then other
  /// writers wait for a short time only.
  public var longMerge: SegmentMerge? {
    get { merge.flatMap { $0.isFinished ? nil : $0 } }
    set { merge = newValue }
  }

  /// Sets, together with the version, how ids are found in the list's snapshot files.
  public mutating func set(idRule: String) { row.idRule = idRule }

  /// Sets, together with the version, where the items of the list have their title.
  public mutating func set(titlePath: JSONPointer) { row.titlePath = titlePath }

  /// Sets, together with the version, how many items a later version may change.
  public mutating func set(limits given: [LimitedChange: ChangeLimit]) {
    row.limits = row.limits.setting(given)
  }
}

/// The rule for when a version is stored as a checkpoint, so that reading it and later versions
/// does not replay the whole history.
package enum CheckpointRule {
  /// The smallest number of changes for which a checkpoint is stored: reading fewer takes almost no
  /// time.
  package static let leastItemCount = 256

  /// Returns whether the changes since the last checkpoint are at least as many as the items.
  /// Reading any version then replays at most twice as many changes as it has items, and
  /// checkpoints hold at most one entry for each change.
  package static func isDue(changesSinceLast: Int, itemCount: Int) -> Bool {
    changesSinceLast >= max(itemCount, leastItemCount)
  }
}

extension ListReader {
  /// Plans the version after the newest one of a list.
  ///
  /// - Parameters:
  ///   - step: the change set from the head, with the id in every move.
  ///   - list: the list that gets the version.
  ///   - record: the new version.
  ///   - order: the head, which becomes the new version.
  ///   - update: the tree of the new version.
  /// - Throws: `StoreError.listFull` when the list has had more changes or versions than can be
  ///   numbered; `StoreError.corrupt` when the step does not fit the head.
  /// - Complexity: O(n / 1000 + d log d) rows read for a list of n items and d changes, and the
  ///   short segments at the end of its log.
  package func plan(
    _ step: ChangeSet<Item>, of list: ListKey, as record: VersionRecord, order: inout HeadOrder,
    _ update: TreeUpdate
  ) throws -> StepPlan {
    let base = try row(of: list)
    let isFirst = base.nextChange == 1
    var idParts: [IDPart] = []
    let known = try KnownKeys(of: step, in: list, &order, self, idParts: &idParts)
    let changes = step.rows(of: list, from: base.nextChange, known)
    var (builder, introduced): (StepBuilder, [IDEntry]) = (.init(counts: ChangeCounts(step)), [])
    var row = base
    row.nextChange += Int64(changes.count)
    guard base.head < .highest, list.holds(row.nextChange) else { throw StoreError.listFull }
    for change in changes {
      try builder.add(change.row)
      if let id = change.id { introduced.append(IDEntry(id, item: change.row.item)) }
    }
    row.head = base.head.next
    introduced.sort()
    let ids =
      try isFirst
      ? IDRows(ofFirst: introduced, list) : idRows(adding: introduced, to: list, in: idParts)
    try order.apply(
      builder.changeSet(oldCount: step.oldCount, newCount: step.newCount), update)
    try order.rankParts()
    func isDue(since first: Int64) -> Bool {
      CheckpointRule.isDue(
        changesSinceLast: Int(row.nextChange - first), itemCount: order.count)
    }
    let isDue = try isDue(since: 1) && isDue(since: firstChangeSinceCheckpoint(of: list))
    defer { order.recordStored() }
    let isLater = storesLater(list)
    var merge =
      isLater || changes.isEmpty
      ? nil : try merge(with: changes, starts: [base.nextChange], of: base)
    let isLong = changes.byteCount > StepPlan.longByteCount
    let blocks = isLong ? [] : try merge?.allBlocks(self) ?? []
    return StepPlan(
      record: record, base: base, row: row, merge: merge, blocks: blocks,
      changes: isLater ? changes : [], ids: ids, parts: order.parts.filter(\.isChanged),
      droppedRanks: order.droppedRanks,
      checkpoint: isDue ? try order.items() : nil)
  }
}

extension ListWriter {
  /// Stores a planned version.
  ///
  /// The plan may come from another transaction. This transaction then stores the rows in one round
  /// trip, if it has read nothing of the list.
  ///
  /// - Parameter plan: the version, which follows the head.
  /// - Throws: `StoreError.headMoved` when the list has changed since the plan was made; an engine
  ///   may notice this only when the transaction ends.
  /// - Complexity: O(1) rows written for the changes of a short step, and the parts of the head
  ///   that they touch.
  public func append(_ plan: StepPlan) throws {
    let list = plan.base.key
    let isFirst = plan.base.nextChange == 1
    let isFree = locked.insert(list).inserted
    opened(list).row = try isFree ? exchange(plan) : follow(plan)
    if let merge = plan.merge { try store(merge, plan.blocks) }
    for row in plan.ids.rows {
      // The first rows of a table are many, and plain insertions are cheap.
      if isFirst { try insert(row, into: .idParts) } else { try replace(row, in: .idParts) }
    }
    try insert(plan.record, into: list, firstChange: plan.base.nextChange)
    try storeLater(plan.changes, of: list)
    if !isFree { try update(list) { $0.idDigests = plan.ids.digests } }
    try store(plan.parts, dropping: plan.droppedRanks, of: list)
    if let items = plan.checkpoint {
      try writeCheckpoint(items, at: plan.row.head, of: list)
    }
    changed.insert(list.rawValue)
  }

  /// Replaces the row of a list, if it is still the row from which the plan was made.
  private func exchange(_ plan: StepPlan) throws -> ListRow {
    var row = plan.row
    row.idDigests = plan.ids.digests
    try engineWriter.replaceList(
      StoredRow(of: .lists, plan.base.values), with: StoredRow(of: .lists, row.values))
    return row
  }

  private func follow(_ plan: StepPlan) throws -> ListRow {
    guard try row(of: plan.base.key) == plan.base else { throw StoreError.headMoved }
    return plan.row
  }
}
