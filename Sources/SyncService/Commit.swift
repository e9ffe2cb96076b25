import ListChanges
import ListModel
import ListStore

/// What is to become the next version of a list.
public struct CommitRequest: Sendable {
  /// How the next version is told.
  public enum Content: Sendable {
    /// As a whole.
    case snapshot(Snapshot)
    /// By changes, the head that they start from, and the list that they lead to.
    case changes(BareChanges, from: ListState, to: ListState)
    /// By changes of single items, one after the other.
    case edits([Edit])
  }

  /// The state that the author had seen.
  public enum Expectation: Hashable, Sendable, CustomStringConvertible {
    case version(Version)
    case cursor(Cursor)

    /// Reads `7` or `7-3f9a1c2b7d40`; nil when the text is neither.
    public init?(_ text: String) {
      if let version = Version(text: text) {
        self = .version(version)
      } else if let cursor = Cursor(text) {
        self = .cursor(cursor)
      } else {
        return nil
      }
    }

    func isMet(by state: Cursor) -> Bool {
      switch self {
      case .version(let version): version == state.version
      case .cursor(let cursor): cursor == state
      }
    }

    public var description: String {
      switch self {
      case .version(let version): version.description
      case .cursor(let cursor): cursor.description
      }
    }
  }

  public let list: ListName
  public let content: Content
  public var expected: Expectation?
  public var author: String?
  public var message: String?
  /// Nil for the service's clock.
  public var time: Timestamp?
  /// How ids were found in the snapshot's file, for the list to remember; nil to leave what it
  /// remembers.
  public var idRule: String?

  public init(list: ListName, _ content: Content) {
    self.list = list
    self.content = content
  }

  public init(list: ListName, snapshot: Snapshot) { self.init(list: list, .snapshot(snapshot)) }

  public init(list: ListName, edits: [Edit]) { self.init(list: list, .edits(edits)) }
}

public enum CommitOutcome: Equatable, Sendable {
  /// The list has a new version.
  case committed(VersionRecord)
  /// The snapshot equals the head, or the list is at version 0 and the snapshot is empty.
  case unchanged(ListState)

  public var state: ListState {
    switch self {
    case .committed(let record): record.state
    case .unchanged(let state): state
    }
  }
}

/// How far a commit has come.
public enum CommitStage: String, Sendable {
  case readingHead = "reading the newest version"
  case comparing
  case writing
}

extension SyncService {
  /// Makes what a request says the next version of a list; a list that is not there is made, unless
  /// the request starts from what it would hold.
  ///
  /// What equals the head makes no version. That holds for a snapshot or changes that are sent again
  /// after their answer was lost, too: where the head is what they lead to and the version before it
  /// is the one expected, nothing is refused. Moves that are not the canonical ones are made so.
  ///
  /// - Parameters:
  ///   - held: what ``holdHead(of:)`` gave; nil where nothing was read ahead.
  ///   - onProgress: called as each stage begins.
  /// - Throws: `ServiceError.expectationFailed` when the head is not the expected one, or not the one
  ///   that changes start from; `.misfit` when changes do not fit it, or do not lead where the
  ///   request says; `.itemAbsent` and `.noSuchPlace` when an edit names what the list does not hold
  ///   then; `.limit` when the list, or an item, is larger than the service's limits allow; and
  ///   `StoreError`. The store is then as it was.
  /// - Complexity: of a snapshot O(n + m) for n items at the head and m in the snapshot, and reading
  ///   the head; of d changes or edits O(n / 1000 + d log d), and the list is not read.
  ///   `EditingTests.whatManyEditsReadGrowsWithThem` counts.
  public func commit(
    _ request: CommitRequest, holding held: HeldSnapshot? = nil,
    onProgress: @escaping @Sendable (CommitStage) -> Void = { _ in }
  ) async throws -> CommitOutcome {
    let time = request.time ?? now()
    try check(request.content, of: request.list)
    return try await store.write { writer in
      let list =
        try writer.list(request.list)
        ?? (request.makesList
          ? writer.createList(request.list) : writer.existingList(request.list))
      if let idRule = request.idRule, !list.remembers(idRule: idRule) {
        try writer.setIDRule(idRule, of: list.key)
      }
      onProgress(.readingHead)
      var head = try Head(of: list, in: writer)
      let next = try writer.next(request, head, heldAs: held, onProgress)
      try check(count: next.step.newCount, of: request.list)
      if next.step.isEmpty { return .unchanged(head.state) }
      onProgress(.writing)
      let note = CommitNote(time: time, author: request.author, message: request.message)
      return .committed(
        try head.append(next.step, checksum: next.checksum, note: note, in: writer))
    }
  }

  /// What a commit would change, without doing it.
  ///
  /// - Throws: as ``commit(_:holding:onProgress:)`` does.
  public func preview(_ request: CommitRequest) async throws -> Delta {
    try check(request.content, of: request.list)
    return try await store.read { reader in
      if request.makesList, try reader.list(request.list) == nil {
        return try Self.previewWithoutStore(request)
      }
      let list = try reader.existingList(request.list)
      let head = try Head(of: list, in: reader)
      let next = try reader.next(request, head)
      try check(count: next.step.newCount, of: request.list)
      return Delta(
        list: list.name, from: head.state,
        to: ListState(cursor: nil, count: next.step.newCount, checksum: next.checksum),
        oldest: list.oldest, changes: next.step)
    }
  }

  /// What the first commit of a list would change, in a store that need not be there.
  ///
  /// - Throws: as ``checkWithoutStore(_:)`` does; `ServiceError.noSuchList` for what starts from items;
  ///   `.misfit` when changes do not lead where the request says.
  public static func previewWithoutStore(_ request: CommitRequest) throws -> Delta {
    try checkWithoutStore(request)
    guard request.makesList else { throw ServiceError.noSuchList(request.list, known: []) }
    let snapshot: Snapshot =
      switch request.content {
      case .snapshot(let whole): whole
      case .changes(let changes, _, let to): try request.first(changes, leadingTo: to)
      case .edits: .empty
      }
    return Delta(
      list: request.list, from: .zero, to: ListState(of: snapshot), oldest: nil,
      changes: Snapshot.empty.changes(to: snapshot))
  }

  /// Checks what a request expects where there is no store yet.
  ///
  /// - Throws: `ServiceError.expectationFailed` when another state than version 0 is expected.
  public static func checkWithoutStore(_ request: CommitRequest) throws {
    guard request.expects(.zero) else {
      throw request.expectationFailed(at: .zero)
    }
  }
}

extension CommitRequest {
  /// Whether the request is for a list that is not there, too.
  fileprivate var makesList: Bool {
    switch content {
    case .snapshot: true
    case .changes(_, let from, _): ListState.zero.isState(from)
    case .edits: false
    }
  }

  /// The state that changes start from; nil for what says it of no state.
  private var start: ListState? {
    if case .changes(_, let from, _) = content { from } else { nil }
  }

  func expects(_ state: ListState) -> Bool {
    isExpected(state) && start.map(state.isState) ?? true
  }

  /// Whether the author may have seen a state: changes tell themselves where they start.
  func mayStart(from state: ListState) -> Bool {
    start.map(state.isState) ?? isExpected(state)
  }

  private func isExpected(_ state: ListState) -> Bool {
    guard let expected, let cursor = state.cursor else { return true }
    return expected.isMet(by: cursor)
  }

  func expectationFailed(at state: ListState) -> ServiceError {
    let cursor = state.cursor ?? Cursor(version: .zero, chain: .zero)
    let description =
      isExpected(state)
      ? start?.cursor?.description ?? "the list that the changes start from"
      : expected?.description ?? ""
    return .expectationFailed(expected: description, list: list, head: cursor)
  }

  /// What changes make of the empty list.
  fileprivate func first(_ changes: BareChanges, leadingTo to: ListState) throws -> Snapshot {
    let items = changes.inserted.map(\.item)
    guard let snapshot = try? Snapshot(items), leads(to: ListState(of: snapshot)) else {
      throw ServiceError.misfit(
        list: list, reason: "they do not lead to the checksum \(to.checksum)")
    }
    return snapshot
  }

  /// Whether a list is the one that the request leads to, wherever it starts.
  fileprivate func leads(to state: ListState) -> Bool {
    switch content {
    case .snapshot(let snapshot):
      snapshot.items.count == state.count && Checksum(of: snapshot) == state.checksum
    case .changes(_, _, let to): to.count == state.count && to.checksum == state.checksum
    case .edits: false
    }
  }
}

extension ListReader {
  /// Whether the head is what a request leads to from the version before it: then its answer was
  /// lost.
  ///
  /// - Throws: `ServiceError.expectationFailed` when the head is neither that nor the one expected.
  fileprivate func wasSentBefore(_ request: CommitRequest, _ head: Head) throws -> Bool {
    if request.expects(head.state) { return false }
    if let version = head.record?.version, version >= head.list.firstStep,
      request.leads(to: head.state),
      request.mayStart(from: try state(of: Version(version.number - 1), in: head.list))
    {
      return true
    }
    throw request.expectationFailed(at: head.state)
  }

  /// The step from the head to what a request says, and the checksum that it leads to.
  ///
  /// - Throws: as ``SyncService/commit(_:holding:onProgress:)`` does.
  fileprivate func next(
    _ request: CommitRequest, _ head: Head, heldAs held: HeldSnapshot? = nil,
    _ onProgress: (CommitStage) -> Void = { _ in }
  ) throws -> (step: ChangeSet<Item>, checksum: Checksum) {
    if try wasSentBefore(request, head) {
      let count = head.state.count
      let nothing = try ChangeSet<Item>(
        oldCount: count, newCount: count, removed: [], moved: [], inserted: [], updated: [])
      return (nothing, head.state.checksum)
    }
    var completion = StepCompletion(head: head, reader: self)
    switch request.content {
    case .snapshot(let new):
      let old = try snapshot(of: head, heldAs: held)
      onProgress(.comparing)
      let step = old.changes(to: new)
      return (step, head.checksum(after: step, from: old, to: new))
    case .changes(let changes, _, let to):
      let step = try completion.step(changes)
      let checksum = try completion.checksum(after: step)
      guard step.newCount == to.count, checksum == to.checksum else {
        throw ServiceError.misfit(
          list: request.list,
          reason: "they lead to the checksum \(checksum), not to \(to.checksum)")
      }
      return (step, checksum)
    case .edits(let edits):
      var editor = try Editor(edits, of: head, &completion)
      for edit in edits { try editor.apply(edit) }
      let step = try completion.named(editor.changes)
      return (step, try completion.checksum(after: step))
    }
  }
}

extension Head {
  func checksum(
    after step: ChangeSet<Item>, from old: Snapshot, to new: Snapshot
  ) -> Checksum {
    step.isSmall
      ? state.checksum.advanced(by: step) { old.items[$0] } : Checksum(of: new)
  }
}

extension ListState {
  /// Whether another state is this one; where it names no cursor, as far as its checksum tells.
  func isState(_ other: ListState) -> Bool {
    count == other.count && checksum == other.checksum
      && (other.cursor == nil || other.cursor == cursor)
  }
}
