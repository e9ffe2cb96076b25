import ListChanges
import ListModel
import ListStore

/// A change of single items, named by their ids.
public enum Edit: Equatable, Sendable {
  /// Where an item is put.
  public enum Place: Equatable, Sendable {
    case first
    case last
    /// The index that it has then.
    case at(Int)
    case before(ItemID)
    case after(ItemID)
  }

  /// Takes an item out of the list.
  case remove(ItemID)
  /// Gives an item its content and its place. Without a place, an item that is there stays where it
  /// is, and a new one comes last.
  case put(Item, Place?)
}

/// Edits on their way into a list, one after the other.
public struct EditRequest: Sendable {
  public let list: ListName
  public let edits: [Edit]
  public var expected: CommitRequest.Expectation?
  public var author: String?
  public var message: String?
  /// Nil for the service's clock.
  public var time: Timestamp?

  public init(list: ListName, edits: [Edit]) {
    self.list = list
    self.edits = edits
  }
}

extension SyncService {
  /// Makes the outcome of edits the next version of a list.
  ///
  /// - Throws: `ServiceError.noSuchItem` when an edit names an item that the list does not hold then,
  ///   `.noSuchPlace` when it names an index outside of it, `.expectationFailed` when the head is
  ///   not the expected one, `.limit` when an item, or the list with it, is larger than the service's
  ///   limits allow; and `StoreError`. The store is then as it was.
  /// - Complexity: O(n / 1000 + e²) for a list of n items and e edits; the list is not read.
  public func edit(_ request: EditRequest) async throws -> CommitOutcome {
    let time = request.time ?? now()
    try check(request.edits, of: request.list)
    return try await store.write { writer in
      let (found, step, checksum) = try writer.outcome(of: request)
      try check(count: step.newCount, of: request.list)
      guard !step.isEmpty else { return .unchanged(found.state) }
      var head = found
      let note = CommitNote(time: time, author: request.author, message: request.message)
      return .committed(try head.append(step, checksum: checksum, note: note, in: writer))
    }
  }

  /// What edits would change, without doing it.
  ///
  /// - Throws: as ``edit(_:)`` does.
  public func preview(_ request: EditRequest) async throws -> Delta {
    try check(request.edits, of: request.list)
    return try await store.read { reader in
      let (head, step, checksum) = try reader.outcome(of: request)
      try check(count: step.newCount, of: request.list)
      return Delta(
        list: request.list, from: head.state,
        to: ListState(cursor: nil, count: step.newCount, checksum: checksum),
        oldest: head.list.oldest, changes: step)
    }
  }
}

extension ListReader {
  fileprivate func outcome(
    of request: EditRequest
  ) throws -> (head: Head, step: ChangeSet<Item>, checksum: Checksum) {
    let head = try Head(of: existingList(request.list), in: self)
    if let expected = request.expected, !expected.isMet(by: head.cursor) {
      throw ServiceError.expectationFailed(
        expected: expected.description, list: request.list, head: head.cursor)
    }
    var editor = try Editor(head: head, reader: self)
    for edit in request.edits { try editor.apply(edit) }
    let step = try editor.step()
    return (head, step, try editor.checksum(after: step))
  }
}

/// A list under edit: the head, and the change set from it to the list as it stands now.
private struct Editor {
  private let list: ListName
  private var completion: StepCompletion
  private var changes: ChangeSet<Item>
  /// Of `changes`.
  private var runs: [ChangeSet<Item>.MatchedRun] = []

  init(head: Head, reader: any ListReader) throws {
    list = head.list.name
    completion = StepCompletion(head: head, reader: reader)
    let count = head.state.count
    changes = try ChangeSet(
      oldCount: count, newCount: count, removed: [], moved: [], inserted: [], updated: [])
    runs = changes.matchedRuns
  }

  mutating func step() throws -> ChangeSet<Item> { try completion.canonical(changes) }

  mutating func checksum(after step: ChangeSet<Item>) throws -> Checksum {
    try completion.checksum(after: step)
  }

  mutating func apply(_ edit: Edit) throws {
    switch edit {
    case .remove(let id):
      guard let index = try index(of: id) else {
        throw ServiceError.noSuchItem(id, list: list)
      }
      try add(removed: [.init(from: index, element: item(at: index))])
    case .put(let item, let place):
      if let index = try index(of: item.id) {
        try put(
          item, from: index, to: place.map { try self.index(of: $0, without: index) } ?? index)
      } else {
        try add(inserted: [
          .init(to: try self.index(of: place ?? .last, without: nil), element: item)
        ])
      }
    }
  }

  private mutating func put(_ item: Item, from: Int, to: Int) throws {
    let old = try self.item(at: from)
    try add(
      moved: from == to ? [] : [.init(from: from, to: to, id: item.id)],
      updated: old == item ? [] : [.init(from: from, to: to, old: old, new: item)])
  }

  private mutating func add(
    removed: [ChangeSet<Item>.Removal] = [], moved: [ChangeSet<Item>.Move] = [],
    inserted: [ChangeSet<Item>.Insertion] = [], updated: [ChangeSet<Item>.Update] = []
  ) throws {
    let next = try ChangeSet(
      oldCount: changes.newCount, newCount: changes.newCount + inserted.count - removed.count,
      removed: removed, moved: moved, inserted: inserted, updated: updated)
    changes = changes.composed(with: next.canonical())
    runs = changes.matchedRuns
  }

  /// The index that a place stands for.
  ///
  /// - Parameter without: the index of the item that is to be put, where the list holds it.
  private mutating func index(of place: Edit.Place, without index: Int?) throws -> Int {
    let count = changes.newCount - (index == nil ? 0 : 1)
    func anchor(_ id: ItemID) throws -> Int {
      guard let anchor = try self.index(of: id), anchor != index else {
        throw ServiceError.noSuchItem(id, list: list)
      }
      return anchor - (index.map { $0 < anchor } == true ? 1 : 0)
    }
    switch place {
    case .first: return 0
    case .last: return count
    case .before(let id): return try anchor(id)
    case .after(let id): return try anchor(id) + 1
    case .at(let place):
      guard (0...count).contains(place) else {
        throw ServiceError.noSuchPlace(place, list: list, highest: count)
      }
      return place
    }
  }

  /// The index of an item in the list as it stands now; nil when it is not there.
  private mutating func index(of id: ItemID) throws -> Int? {
    if let insertion = changes.inserted.first(where: { $0.element.id == id }) {
      return insertion.to
    }
    guard let old = try completion.index(of: id),
      let run = runs.first(where: { $0.old <= old && old < $0.old + $0.count })
    else { return nil }
    return run.new + old - run.old
  }

  /// The item at an index of the list as it stands now.
  private mutating func item(at index: Int) throws -> Item {
    if let insertion = changes.inserted.first(where: { $0.to == index }) {
      return insertion.element
    }
    if let update = changes.updated.first(where: { $0.to == index }) { return update.new }
    guard let old = runs.oldIndex(ofNew: index) else {
      preconditionFailure("an item is inserted or was in the head")
    }
    return try completion.item(at: old)
  }
}
