import ListChanges
import ListModel
import ListStore

/// The newest version of a list within one transaction, in which versions may be appended to it.
struct Head {
  private(set) var list: ListRecord
  /// Nil at version 0.
  private(set) var record: VersionRecord?
  private var order: HeadOrder
  let reader: ListReader

  init(of list: ListRecord, in reader: ListReader) throws {
    self.list = list
    self.reader = reader
    record = list.head > .zero ? try reader.record(of: list.head, in: list) : nil
    order = try reader.order(of: list, count: record?.count ?? 0)
  }

  /// The list as it was at an earlier version, of which steps can be made but not appended.
  ///
  /// - Complexity: that of ``ListReader/storedItems(at:of:)``.
  init(of list: ListRecord, at version: Version, in reader: ListReader) throws {
    self.list = list
    self.reader = reader
    record = version > .zero ? try reader.record(of: version, in: list) : nil
    order = HeadOrder(withoutTree: try reader.storedItems(at: version, of: list))
  }

  var state: ListState { record?.state ?? .zero }
  var cursor: Cursor { record?.cursor ?? .zero }

  // MARK: The next version

  /// Makes the next version, which becomes this head.
  ///
  /// - Parameters:
  ///   - step: the canonical change set from the head, every move named, and the tree after it.
  /// - Throws: `StoreError.listFull` when the head is the last version that a list can have.
  mutating func next(_ step: ProvenStep, note: CommitNote) throws -> StepPlan {
    let (version, root) = (list.head.next, step.root)
    let record = VersionRecord(
      VersionHeader(version: version, note: note, root: root, previous: record?.chain ?? .zero),
      count: step.changes.newCount, changes: ChangeCounts(step.changes))
    let plan = try reader.plan(step.changes, of: list.key, as: record, order: &order, step.update)
    list.head = version
    self.record = record
    return plan
  }

  /// Makes and appends the next version.
  mutating func append(
    _ step: ProvenStep, note: CommitNote, in writer: ListWriter
  ) throws -> VersionRecord {
    let plan = try next(step, note: note)
    try writer.append(plan)
    return plan.record
  }

  // MARK: Looking items up

  /// The indexes of those of some items that the head holds.
  mutating func indexes(of ids: [ItemID]) throws -> [ItemID: Int] {
    let keys = try reader.keys(of: ids, in: list.key)
    let indexes = try order.indexes(of: Set(keys.compactMap(\.self)))
    return Dictionary(
      zip(ids, keys).compactMap { id, key in key.flatMap { indexes[$0] }.map { (id, $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The items at some indexes, by index. Indexes outside of the list are left out.
  mutating func items(at indexes: [Int]) throws -> [Int: Item] {
    let indexes = existing(indexes)
    let items = try reader.checkedItems(order.items(at: indexes))
    return Dictionary(uniqueKeysWithValues: zip(indexes, items))
  }

  /// Those of some indexes that the list has, each once, ascending.
  private func existing(_ indexes: [Int]) -> [Int] {
    Set(indexes).filter { (0..<state.count).contains($0) }.sorted()
  }

  /// Says at which indexes a step will change items. The step needs the texts of their groups too.
  /// Indexes outside of the list are left out.
  mutating func willChange(_ indexes: [Int]) throws {
    if indexes.count > Self.announcedCount { return }
    let indexes = existing(indexes)
    let old = try order.items(at: indexes)
    try reader.willReadTexts(of: old + order.itemsToHash(changing: indexes))
  }

  private static let announcedCount = 256

  /// - Throws: `ServiceError.itemAbsent`.
  mutating func item(_ id: ItemID) throws -> Item {
    guard let index = try indexes(of: [id])[id], let item = try items(at: [index])[index] else {
      throw ServiceError.itemAbsent(id, list: list.name, wasRemoved: false, edit: nil)
    }
    return item
  }

  /// The canonical step from the head to another version that the list keeps.
  mutating func step(to other: Version) throws -> ChangeSet<Item> {
    let reader = reader
    let changes = try reader.changes(of: list, from: cursor.version, to: other)
    return try reader.named(changes, of: list.key) { try order.item(at: $0) }
  }

  /// The whole list.
  func snapshot() throws -> Snapshot {
    Snapshot(uniqueItems: try reader.items(of: order.items()))
  }
}

// MARK: Making a step from changes that came from outside

/// Each of these reads no more of the head than the changes touch.
extension Head {
  /// The step as a store keeps it: canonical, every move named, no update that changes nothing.
  ///
  /// - Throws: `ServiceError.misfit` when the changes do not fit the head.
  mutating func step(_ changes: BareChanges) throws -> ChangeSet<Item> {
    guard changes.oldCount == state.count else {
      throw misfit("they start from \(changes.oldCount) items, not \(state.count)")
    }
    try willChange(changes.oldIndexes)
    let items = try items(at: changes.oldIndexes)
    do {
      let step = try changes.completed { items[known: $0] }
      try checkIDs(of: step)
      return try named(
        ChangeSet(
          oldCount: step.oldCount, newCount: step.newCount, removed: step.removed,
          moved: step.moved, inserted: step.inserted,
          updated: step.updated.filter { $0.old != $0.new }
        ).canonical())
    } catch let error as ListChangesError<ItemID> {
      throw misfit("\(error)")
    }
  }

  /// A canonical step with every move named.
  mutating func named(_ step: ChangeSet<Item>) throws -> ChangeSet<Item> {
    let unnamed = step.moved.filter { $0.id == nil }.map(\.from)
    if unnamed.isEmpty { return step }
    var ids = try reader.ids(of: order.items(at: unnamed).map(\.id)).makeIterator()
    return step.namingMoves { _ in
      guard let id = ids.next() else { preconditionFailure("each unnamed move has an id") }
      return id
    }
  }

  /// A step with the tree after it. Reads the items of the groups that it touches.
  mutating func proven(_ step: ChangeSet<Item>) throws -> ProvenStep {
    let reader = reader
    return ProvenStep(
      changes: step,
      update: try order.treeUpdate(step, from: state.root) { ranges, order in
        try reader.checkedItems(order.items(at: Array(ranges.joined())))
      })
  }

  /// The canonical step from the head to a whole list, every move named, with its tree. Reads of
  /// both lists the groups that the other does not have.
  mutating func step(to new: ListOutline) throws -> ProvenStep {
    let groups = try order.compare(from: state.root, with: new.tree)
    let old = Snapshot(uniqueItems: try reader.items(of: order.items(in: groups.oldRest)))
    let rest = Snapshot(uniqueItems: new.items(in: groups.newRest))
    let step = try named(
      ChangeSet(
        widening: old.changes(to: rest), by: groups.equal, oldCount: state.count,
        newCount: new.count))
    return ProvenStep(changes: step, update: TreeUpdate(new.tree, parts: groups.parts))
  }

  /// A step between two known snapshots with the tree after it.
  mutating func proven(
    _ step: ChangeSet<Item>, from old: Snapshot, to new: Snapshot
  ) throws -> ProvenStep {
    if !step.isSmall {
      return ProvenStep(changes: step, update: TreeUpdate(whole: RootTree(of: new.items)))
    }
    return ProvenStep(
      changes: step,
      update: try order.treeUpdate(step, from: state.root) { ranges, _ in
        ranges.flatMap { old.items[$0] }
      })
  }

  /// - Throws: `ServiceError.misfit` when an id would be in the list twice.
  private mutating func checkIDs(of step: ChangeSet<Item>) throws {
    let ids = step.inserted.map(\.element.id)
    let held = try indexes(of: ids)
    var inserted: Set<ItemID> = []
    for id in ids where !inserted.insert(id).inserted || held[id] != nil {
      throw misfit("they insert '\(id)', which the list holds already")
    }
  }

  private func misfit(_ reason: String) -> ServiceError {
    .misfit(list: list.name, reason: reason)
  }
}

extension [Int: Item] {
  fileprivate subscript(known index: Int) -> Item {
    guard let item = self[index] else { preconditionFailure("the index was looked up") }
    return item
  }
}

/// A step, and the tree of the list after it.
struct ProvenStep: Sendable {
  let changes: ChangeSet<Item>
  let update: TreeUpdate

  var root: Root { update.tree.root }
}
