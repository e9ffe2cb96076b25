import ListChanges
import ListModel
import ListStore

/// Changes on their way into a list: they lead from its head to its next version.
public struct DeltaCommitRequest: Sendable {
  public let list: ListName
  public let changes: BareChanges
  /// The head that the changes start from.
  public let from: ListState
  /// The list that they lead to.
  public let to: ListState
  /// A state that the head must have besides, as the author names it.
  public var expected: CommitRequest.Expectation?
  public var author: String?
  public var message: String?
  /// Nil for the service's clock.
  public var time: Timestamp?

  public init(list: ListName, changes: BareChanges, from: ListState, to: ListState) {
    self.list = list
    self.changes = changes
    self.from = from
    self.to = to
  }
}

extension SyncService {
  /// Makes the outcome of changes the next version of a list; a list that is not there is made
  /// where the changes start from the empty one.
  ///
  /// Changes that are sent again after their answer was lost change nothing. Moves that are not the
  /// canonical ones are made so.
  ///
  /// - Throws: `ServiceError.expectationFailed` when the changes start from another state than the
  ///   head, `.misfit` when they do not fit it, or do not lead where the request says, `.limit`
  ///   when they are larger than the service's limits allow; and `StoreError`. The store is then as
  ///   it was.
  /// - Complexity: O(n / 1000 + d log d) for a list of n items and d changes.
  public func commit(_ request: DeltaCommitRequest) async throws -> CommitOutcome {
    let time = request.time ?? now()
    try check(request.changes, of: request.list)
    return try await store.write { writer in
      let list = try writer.list(request.list) ?? writer.listToMake(request)
      var head = try Head(of: list, in: writer)
      let isExpected = request.expected.map { $0.isMet(by: head.cursor) } ?? true
      guard isExpected, head.state.isState(request.from) else {
        if try writer.wasSentBefore(request, head) { return .unchanged(head.state) }
        throw ServiceError.expectationFailed(
          expected: (isExpected ? request.from.cursor?.description : request.expected?.description)
            ?? "the list that the changes start from",
          list: list.name, head: head.cursor)
      }
      var completion = StepCompletion(head: head, reader: writer)
      let step = try completion.step(request.changes)
      let checksum = try completion.checksum(after: step)
      guard step.newCount == request.to.count, checksum == request.to.checksum else {
        throw ServiceError.misfit(
          list: list.name,
          reason: "they lead to the checksum \(checksum), not to \(request.to.checksum)")
      }
      if step.isEmpty { return .unchanged(head.state) }
      let note = CommitNote(time: time, author: request.author, message: request.message)
      return .committed(try head.append(step, checksum: checksum, note: note, in: writer))
    }
  }
}

extension ListWriter {
  fileprivate func listToMake(_ request: DeltaCommitRequest) throws -> ListRecord {
    guard ListState.zero.isState(request.from) else {
      throw ServiceError.noSuchList(request.list, known: try lists().map(\.name))
    }
    return try createList(request.list)
  }

  /// Whether the head is what the request leads to, from the version before it.
  fileprivate func wasSentBefore(_ request: DeltaCommitRequest, _ head: Head) throws -> Bool {
    guard let version = head.record?.version, version > head.list.oldest || version == Version(1),
      head.state.count == request.to.count, head.state.checksum == request.to.checksum
    else { return false }
    return try state(of: Version(version.number - 1), in: head.list).isState(request.from)
  }
}

extension ListState {
  /// Whether another state is this one; where it names no cursor, as far as its checksum tells.
  func isState(_ other: ListState) -> Bool {
    count == other.count && checksum == other.checksum
      && (other.cursor == nil || other.cursor == cursor)
  }
}

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
