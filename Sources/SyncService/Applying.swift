import ListChanges
import ListModel
import ListStore

/// Where the versions of a range come from.
public protocol VersionSource {
  /// What the source holds; asked once, before the rest.
  mutating func header() throws -> BundleHeader

  /// The next item or step; nil at the end, and only when the source has proved that it is whole.
  mutating func next() throws -> BundleEvent?
}

/// What became of a range of versions.
public struct ApplyOutcome: Equatable, Sendable {
  public let list: ListName
  /// Whether the list had no version before.
  public let isNew: Bool
  /// How many versions came; that of a base is one.
  public let addedCount: Int
  public let head: ListState
}

extension SyncService {
  /// Makes versions of another store the next ones of a list, cursors and chain included; a list
  /// that is not there is made where they start from nothing.
  ///
  /// All is one transaction: the source is opened and read inside of it, and nothing is kept before
  /// it has proved itself whole. Every version is proved here, too. Versions that are there already
  /// are compared and passed over, so that a range may be applied again.
  ///
  /// - Parameters:
  ///   - name: the list; nil for the name that the source gives.
  ///   - onProgress: called with the number of each version before it is looked at.
  ///   - open: opens the source.
  /// - Throws: `ServiceError.diverged` when the list has another version in place of one of these,
  ///   `.tooNew` when it does not reach to where they start, `.endsTooOld` when it was pruned past
  ///   where they end, `.brokenRange` when a version is not what it says, `.limit` when an item or
  ///   a step is larger than the service's limits allow; what the source throws; `StoreError`. The
  ///   store is then as it was.
  /// - Complexity: O(n / 1000 + d log d) for each step of d changes to a list of n items.
  public func apply(
    as name: ListName? = nil, onProgress: @escaping @Sendable (Version) -> Void = { _ in },
    from open: @Sendable () throws -> any VersionSource
  ) async throws -> ApplyOutcome {
    try await store.write { writer in
      var opened = try open()
      let range = try opened.header()
      let list = name ?? range.list
      var source: any VersionSource = LimitedSource(opened, for: list, of: self)
      var taker = try RangeTaker(range, as: list, in: writer)
      try taker.start(from: &source)
      while let event = try source.next() {
        guard case .step(let step) = event else {
          throw taker.broken(range.startState.version, "it has more items than it counts")
        }
        onProgress(step.record.version)
        try taker.take(step)
      }
      return try taker.finish()
    }
  }
}

/// Takes a range of versions into a list.
private struct RangeTaker {
  let range: BundleHeader
  private let writer: any ListWriter
  private let isNew: Bool
  private var head: Head
  /// The state up to which the range was taken.
  private var reached: (version: Version, chain: Chain)
  private var addedCount = 0

  init(_ range: BundleHeader, as name: ListName, in writer: any ListWriter) throws {
    self.range = range
    self.writer = writer
    let start = range.startState
    guard max(start.version, range.target.version) <= .highest else {
      throw ServiceError.brokenRange(
        list: name, version: range.target.version,
        reason: "no version has a number above \(Version.highest)")
    }
    reached = (start.version, start.chain)
    let list = try writer.list(name)
    isNew = list?.head ?? .zero == .zero
    if isNew, case .prerequisite(let state) = range.start, state.version > .zero {
      throw ServiceError.tooNew(
        start: state.cursor, list: name, head: BundleState.zero.cursor)
    }
    head = try Head(of: list ?? writer.createList(name), in: writer)
    if !isNew { try checkConnection() }
  }

  func broken(_ version: Version, _ reason: String) -> ServiceError {
    .brokenRange(list: head.list.name, version: version, reason: reason)
  }

  /// Takes what comes before the steps.
  mutating func start(from source: inout any VersionSource) throws {
    guard case .base(let record) = range.start else { return }
    guard record.version > Version(1) else {
      throw broken(record.version, "its own step leads to it, and no base")
    }
    var items = BaseItems()
    if isNew {
      do {
        try writer.start(head.list.key, at: record) { try items.next(&source, self) }
      } catch StoreError.duplicateItem {
        throw broken(record.version, "an item stands in it twice")
      }
      guard let list = try writer.list(head.list.name) else { throw StoreError.headMoved }
      head = try Head(of: list, in: writer)
      addedCount = 1
    } else {
      for _ in 0..<record.count { _ = try items.next(&source, self) }
    }
    guard items.checksum == record.checksum else {
      throw broken(record.version, "its items do not have its checksum")
    }
  }

  mutating func take(_ step: BundleStep) throws {
    let record = step.record
    guard record.version == reached.version.next else {
      throw broken(record.version, "version \(reached.version.next) comes next")
    }
    if record.version <= head.list.head {
      try check(record.cursor, record.chain)
    } else {
      try append(record, step.changes)
      addedCount += 1
    }
    reached = (record.version, record.chain)
  }

  func finish() throws -> ApplyOutcome {
    guard reached == (range.target.version, range.target.chain) else {
      throw broken(range.target.version, "the versions do not lead to it")
    }
    // What is only repeated says nothing new about the list.
    if isNew || addedCount > 0, let idRule = range.idRule, !head.list.remembers(idRule: idRule) {
      try writer.setIDRule(idRule, of: head.list.key)
    }
    return ApplyOutcome(
      list: head.list.name, isNew: isNew, addedCount: addedCount, head: head.state)
  }

  /// Checks that the range starts where the list has versions, or before, and ends there or after.
  private func checkConnection() throws {
    let (list, start, target) = (head.list, range.startState, range.target)
    guard start.version <= list.head else {
      throw ServiceError.tooNew(start: start.cursor, list: list.name, head: head.cursor)
    }
    guard target.version >= list.oldest || target.version == .zero else {
      let oldest = try writer.record(of: list.oldest, in: list)
      throw ServiceError.endsTooOld(
        target: target.cursor, list: list.name, oldest: oldest.cursor)
    }
    try check(start.cursor, start.chain)
  }

  /// Checks that the list has the same version, where it still has it.
  private func check(_ cursor: Cursor, _ chain: Chain) throws {
    guard cursor.version >= head.list.oldest else { return }
    let record = try writer.record(of: cursor.version, in: head.list)
    guard record.chain == chain else {
      throw ServiceError.diverged(cursor, list: head.list.name, here: head.cursor)
    }
  }

  private mutating func append(_ record: VersionRecord, _ changes: BareChanges) throws {
    var completion = StepCompletion(head: head, reader: writer)
    let step: ChangeSet<Item>
    do {
      step = try completion.step(changes)
    } catch ServiceError.misfit(_, let reason) {
      throw broken(record.version, reason)
    }
    guard BareChanges(step) == changes else {
      throw broken(record.version, "its step is not the canonical one")
    }
    // Of a list that was empty, the new one is what was inserted.
    let checksum =
      step.oldCount == 0
      ? Checksum(of: Snapshot(uniqueItems: step.inserted.map(\.element)))
      : try completion.checksum(after: step)
    guard checksum == record.checksum else {
      throw broken(record.version, "its checksum does not fit")
    }
    guard !step.isEmpty else { throw broken(record.version, "it changes nothing") }
    guard try head.append(step, checksum: checksum, note: record.note, in: writer) == record else {
      throw broken(record.version, "its chain does not fit")
    }
  }
}

/// The items of a base as they come.
private struct BaseItems {
  private(set) var checksum = Checksum.zero
  private var previousID: ItemID?

  mutating func next(_ source: inout any VersionSource, _ taker: RangeTaker) throws -> Item {
    guard case .item(let item)? = try source.next() else {
      throw taker.broken(taker.range.startState.version, "it has fewer items than it counts")
    }
    checksum.add(Checksum.term(of: item, after: previousID))
    previousID = item.id
    return item
  }
}
