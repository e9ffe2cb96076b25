import ListChanges
import ListModel
import ListStore

/// Makes of changes that someone sent the step that a store keeps, reading no more of the head than
/// they touch.
struct StepCompletion {
  private var head: Head
  private let reader: any ListReader

  init(head: Head, reader: any ListReader) {
    self.head = head
    self.reader = reader
  }

  /// The canonical change set, with what it takes away.
  ///
  /// - Throws: `ServiceError.misfit` when the changes do not fit the head.
  mutating func step(_ changes: BareChanges) throws -> ChangeSet<Item> {
    let name = head.list.name
    guard changes.oldCount == head.state.count else {
      throw ServiceError.misfit(
        list: name, reason: "they start from \(changes.oldCount) items, not \(head.state.count)")
    }
    let items = try items(at: changes.oldIndexes)
    do {
      let completed = try changes.completed { index in
        guard let item = items[index] else { preconditionFailure("it was asked for") }
        return item
      }
      try checkIDs(of: completed)
      return try canonical(completed)
    } catch let error as ListChangesError<ItemID> {
      throw ServiceError.misfit(list: name, reason: "\(error)")
    }
  }

  /// The checksum after a step.
  mutating func checksum(after step: ChangeSet<Item>) throws -> Checksum {
    try head.state.checksum.advanced(
      by: step, oldItems: { try head.items(at: $0, in: reader) })
  }

  /// The step as a store keeps it: updates that change nothing left out, moves the canonical ones
  /// and named.
  private mutating func canonical(_ step: ChangeSet<Item>) throws -> ChangeSet<Item> {
    try named(
      ChangeSet(
        oldCount: step.oldCount, newCount: step.newCount, removed: step.removed, moved: step.moved,
        inserted: step.inserted, updated: step.updated.filter { $0.old != $0.new }
      ).canonical())
  }

  /// A canonical step with every move named.
  mutating func named(_ step: ChangeSet<Item>) throws -> ChangeSet<Item> {
    let unnamed = step.moved.filter { $0.id == nil }.map(\.from)
    if unnamed.isEmpty { return step }
    let ids = Dictionary(
      uniqueKeysWithValues: zip(unnamed, try head.ids(at: unnamed, in: reader)))
    return step.namingMoves { index in
      guard let id = ids[index] else { preconditionFailure("it was asked for") }
      return id
    }
  }

  /// The items at some indexes of the head, by index; those outside of it left out.
  mutating func items(at indexes: [Int]) throws -> [Int: Item] {
    let indexes = Set(indexes).filter { (0..<head.state.count).contains($0) }.sorted()
    return Dictionary(
      uniqueKeysWithValues: zip(indexes, try head.items(at: indexes, in: reader)))
  }

  /// The indexes in the head of those of some items that it holds.
  mutating func indexes(of ids: [ItemID]) throws -> [ItemID: Int] {
    try head.indexes(of: ids, in: reader)
  }

  /// - Throws: `ServiceError.misfit` when an id would stand in the list twice.
  private mutating func checkIDs(of step: ChangeSet<Item>) throws {
    let ids = step.inserted.map(\.element.id)
    let there = try indexes(of: ids)
    var inserted: Set<ItemID> = []
    for id in ids where !inserted.insert(id).inserted || there[id] != nil {
      throw ServiceError.misfit(
        list: head.list.name, reason: "they insert '\(id)', which the list holds already")
    }
  }
}
