import ListChanges
import ListModel
import ListStore

/// A snapshot on its way into a list.
public struct CommitRequest: Sendable {
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
  public let snapshot: Snapshot
  public var expected: Expectation?
  public var author: String?
  public var message: String?
  /// Nil for the service's clock.
  public var time: Timestamp?
  /// How ids were found in the snapshot's file, for the list to remember; nil to leave what it
  /// remembers.
  public var idRule: String?

  public init(list: ListName, snapshot: Snapshot) {
    self.list = list
    self.snapshot = snapshot
  }
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
  /// Makes a snapshot the next version of a list; a list that is not there is made.
  ///
  /// A snapshot that equals the head makes no version. That holds for a commit that is sent again
  /// after its answer was lost, too: where the head is this very snapshot and the version before it
  /// is the one expected, nothing is refused.
  ///
  /// - Parameters:
  ///   - held: what ``holdHead(of:)`` gave; nil where nothing was read ahead.
  ///   - onProgress: called as each stage begins.
  /// - Throws: `ServiceError.expectationFailed` when the head is not the expected one, `.limit` when
  ///   the snapshot is larger than the service's limits allow, and `StoreError`; the store is then
  ///   as it was.
  /// - Complexity: O(n + m) for n items at the head and m in the snapshot, and reading the head.
  public func commit(
    _ request: CommitRequest, holding held: HeldSnapshot? = nil,
    onProgress: @escaping @Sendable (CommitStage) -> Void = { _ in }
  ) async throws -> CommitOutcome {
    let time = request.time ?? now()
    try check(request.snapshot, of: request.list)
    return try await store.write { writer in
      let list = try writer.list(request.list) ?? writer.createList(request.list)
      if let idRule = request.idRule, !list.remembers(idRule: idRule) {
        try writer.setIDRule(idRule, of: list.key)
      }
      onProgress(.readingHead)
      var head = try Head(of: list, in: writer)
      let snapshot = try writer.snapshot(of: head, heldAs: held)
      onProgress(.comparing)
      let step = snapshot.changes(to: request.snapshot)
      try writer.check(request, against: head, isUnchanged: step.isEmpty)
      if step.isEmpty { return .unchanged(head.state) }
      onProgress(.writing)
      let note = CommitNote(time: time, author: request.author, message: request.message)
      return .committed(
        try head.append(
          step, checksum: head.checksum(after: step, from: snapshot, to: request.snapshot),
          note: note, in: writer))
    }
  }

  /// What a commit would change, without doing it.
  ///
  /// - Throws: as ``commit(_:holding:onProgress:)`` does.
  public func preview(_ request: CommitRequest) async throws -> Delta {
    try check(request.snapshot, of: request.list)
    return try await store.read { reader in
      guard let list = try reader.list(request.list) else {
        return try Self.previewWithoutStore(request)
      }
      let head = try Head(of: list, in: reader)
      let step = try reader.snapshot(of: head).changes(to: request.snapshot)
      try reader.check(request, against: head, isUnchanged: step.isEmpty)
      return Delta(
        list: list.name, from: head.state, to: ListState(of: request.snapshot),
        oldest: list.oldest, changes: step)
    }
  }

  /// What the first commit of a list would change, in a store that need not be there.
  ///
  /// - Throws: `ServiceError.expectationFailed` when another state than version 0 is expected.
  public static func previewWithoutStore(_ request: CommitRequest) throws -> Delta {
    try checkWithoutStore(request)
    return Delta(
      list: request.list, from: .zero, to: ListState(of: request.snapshot), oldest: nil,
      changes: Snapshot.empty.changes(to: request.snapshot))
  }

  /// Checks what a request expects where there is no store yet.
  ///
  /// - Throws: `ServiceError.expectationFailed` when another state than version 0 is expected.
  public static func checkWithoutStore(_ request: CommitRequest) throws {
    let zero = Cursor(version: .zero, chain: .zero)
    if let expected = request.expected, !expected.isMet(by: zero) {
      throw ServiceError.expectationFailed(
        expected: expected.description, list: request.list, head: zero)
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

extension ListReader {
  func check(_ request: CommitRequest, against head: Head, isUnchanged: Bool) throws {
    guard let expected = request.expected, !expected.isMet(by: head.cursor) else { return }
    if isUnchanged, let version = head.record?.version, version >= head.list.firstStep {
      let before = try state(of: Version(version.number - 1), in: head.list)
      if let cursor = before.cursor, expected.isMet(by: cursor) { return }
    }
    throw ServiceError.expectationFailed(
      expected: expected.description, list: head.list.name, head: head.cursor)
  }
}
