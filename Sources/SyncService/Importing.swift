import ListChanges
import ListModel
import ListStore

/// One state of a source outside the store, on its way into a list.
public struct ImportedState: Sendable {
  public enum Content: Sendable {
    case version(Snapshot, CommitNote)
    /// The state is known to be the same as the one before.
    case unchanged
    /// The state is no version, for a reason that was told.
    case skipped
  }

  /// Where the source stands with this state, in the source's own words.
  public let position: String
  public let content: Content
  /// How many bytes of the source were read for it.
  public let byteCount: Int

  public init(position: String, content: Content, byteCount: Int = 0) {
    self.position = position
    self.content = content
    self.byteCount = byteCount
  }
}

/// A source of states, oldest first.
public protocol ImportSource {
  /// The next state; nil at the end.
  mutating func next() throws -> ImportedState?
}

/// What an import has done.
public struct ImportTally: Equatable, Sendable {
  /// The versions made.
  public var versionCount = 0
  /// The states that equal the one before.
  public var unchangedCount = 0
  public var skippedCount = 0

  public init() {}

  public var stateCount: Int { versionCount + unchangedCount + skippedCount }
}

/// How much goes into one transaction, at most. What is lost when an import is cut off is the work
/// on one or two of them; each costs one flush to the disk.
public struct ImportLimits: Sendable {
  public var stateCount = 64
  public var byteCount = 16 << 20
  public var duration = Duration.milliseconds(250)

  public init() {}
}

/// Which list takes which source.
public struct ImportRequest: Sendable {
  public let list: ListName
  /// The name under which the list remembers how far it has come.
  public let source: String
  /// What ``SyncService/importPosition(of:in:)`` said: where the states go on from.
  public var position: String?
  /// Whether the first states go on from versions that were not imported: that were committed, or
  /// came in a bundle.
  public var goesOnFromVersions = false
  /// How ids were found in the source, for the list to remember; nil to leave what it remembers.
  public var idRule: String?
  public var limits = ImportLimits()

  public init(list: ListName, source: String, after position: String? = nil) {
    self.list = list
    self.source = source
    self.position = position
  }
}

extension SyncService {
  /// How far a list has been imported from a source; nil where it never was, or is not there.
  public func importPosition(of source: String, in list: ListName) async throws -> String? {
    try await store.read { reader in
      try reader.list(list).flatMap { try reader.importPosition(of: source, in: $0.key) }
    }
  }

  /// Makes the states of a source versions of a list, in order; a list that is not there is made
  /// with its first version.
  ///
  /// Several versions go into one transaction, together with the position that they reach, so that
  /// an import that is cut off anywhere goes on where it was, and ends as if it had not been. The
  /// source is read in a task of its own while the states before are stored.
  ///
  /// - Parameter onStored: called after each transaction with all that has been done so far.
  /// - Throws: what the source throws, once the states before are stored;
  ///   `ServiceError.importOvertaken` when another import moved the position, `.notImported` when
  ///   the list has versions and none was imported, unless the request goes on from them; `.limit`
  ///   when a state is larger than the service's limits allow; `StoreError`.
  /// - Complexity: reading the head once; for each version, O(n + m) for n items before and m
  ///   after.
  public func importStates(
    _ request: ImportRequest, from source: sending any ImportSource,
    onStored: (ImportTally) -> Void = { _ in }
  ) async throws -> ImportTally {
    let batches = ImportBatches(source, limits: request.limits)
    var progress = ImportProgress(position: request.position)
    var batch = await batches.next()
    while !batch.states.isEmpty {
      async let following = batches.next()
      progress = try await store(batch.states, after: progress, for: request)
      onStored(progress.tally)
      if batch.failure != nil { break }
      batch = await following
    }
    if let failure = batch.failure { throw failure }
    return progress.tally
  }

  private func store(
    _ states: [ImportedState], after progress: ImportProgress, for request: ImportRequest
  ) async throws -> ImportProgress {
    for case .version(let snapshot, _) in states.map(\.content) {
      try check(.snapshot(snapshot), of: request.list)
    }
    return try await store.write { writer in
      var progress = progress
      guard let list = try writer.list(for: request, toHold: states) else {
        progress.tally.skippedCount += states.count
        return progress
      }
      let position = try writer.importPosition(of: request.source, in: list.key)
      guard position.isSame(as: progress.position) else {
        throw ServiceError.importOvertaken(source: request.source, list: request.list)
      }
      if list.head > .zero, !request.goesOnFromVersions, try !writer.hasImports(into: list.key) {
        throw ServiceError.notImported(list: list.name, head: list.head)
      }
      var head = try ImportHead(of: list, heldAs: progress.held, in: writer)
      for state in states {
        try progress.tally.count(state, isNew: head.append(state, in: writer))
      }
      progress.held = HeldSnapshot(cursor: head.head.cursor, snapshot: head.snapshot)
      progress.position = states.last?.position
      if let position = progress.position {
        try writer.setImportPosition(position, of: request.source, in: list.key)
      }
      return progress
    }
  }
}

/// Where an import stands between two transactions.
private struct ImportProgress: Sendable {
  var position: String?
  var tally = ImportTally()
  var held: HeldSnapshot?
}

/// The newest version in a transaction, with its text.
private struct ImportHead {
  private(set) var head: Head
  private(set) var snapshot: Snapshot

  /// Takes the snapshot that is held, where nobody else has moved the list on.
  init(of list: ListRecord, heldAs held: HeldSnapshot?, in reader: any ListReader) throws {
    let head = try Head(of: list, in: reader)
    self.head = head
    snapshot = try reader.snapshot(of: head, heldAs: held)
  }

  /// Whether the state has become a version.
  mutating func append(_ state: ImportedState, in writer: any ListWriter) throws -> Bool {
    guard case .version(let next, let note) = state.content else { return false }
    let step = snapshot.changes(to: next)
    if step.isEmpty { return false }
    let checksum = head.checksum(after: step, from: snapshot, to: next)
    _ = try head.append(step, checksum: checksum, note: note, in: writer)
    snapshot = next
    return true
  }
}

extension ImportTally {
  fileprivate mutating func count(_ state: ImportedState, isNew: Bool) {
    switch state.content {
    case .skipped: skippedCount += 1
    case .unchanged, .version: if isNew { versionCount += 1 } else { unchangedCount += 1 }
    }
  }
}

extension ListWriter {
  /// The list that states go into, made where it is not there; nil where it is not there and no
  /// state is a version.
  fileprivate func list(
    for request: ImportRequest, toHold states: [ImportedState]
  ) throws -> ListRecord? {
    let hasVersion = states.contains { if case .version = $0.content { true } else { false } }
    guard let list = try list(request.list) ?? (hasVersion ? createList(request.list) : nil) else {
      return nil
    }
    if let idRule = request.idRule, !list.remembers(idRule: idRule) {
      try setIDRule(idRule, of: list.key)
    }
    return list
  }
}

/// Takes states from a source until there are enough for a transaction.
private actor ImportBatches {
  struct Batch: Sendable {
    var states: [ImportedState] = []
    /// What the source threw after these states.
    var failure: (any Error)?
  }

  private var source: any ImportSource
  private var hasFailed = false
  private let limits: ImportLimits

  init(_ source: sending any ImportSource, limits: ImportLimits) {
    self.source = source
    self.limits = limits
  }

  /// The next states; none at the end, nor after a failure.
  func next() -> Batch {
    var batch = Batch()
    if hasFailed { return batch }
    var byteCount = 0
    let end = ContinuousClock.now + limits.duration
    do {
      repeat {
        guard let state = try source.next() else { return batch }
        batch.states.append(state)
        byteCount += state.byteCount
      } while batch.states.count < limits.stateCount && byteCount < limits.byteCount
        && ContinuousClock.now < end
    } catch {
      batch.failure = error
      hasFailed = true
    }
    return batch
  }
}
