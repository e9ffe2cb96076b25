import ListChanges
import ListModel
import ListStore

/// A source of a bundle: of a range of versions.
public protocol BundleSource {
  /// The description of the bundle; called once, before ``next()``.
  mutating func header() throws -> BundleHeader

  /// The next item or step. Returns nil at the end, after the source has verified that it is whole.
  mutating func next() throws -> BundleEvent?
}

/// The result of applying a bundle.
public struct ApplyOutcome: Equatable, Sendable {
  public let list: ListName
  /// Whether the list had no version before.
  public let isNew: Bool
  /// The number of versions that were added; a base counts as one.
  public let addedCount: Int
  public let head: ListState
}

extension SyncService {
  /// Appends versions of another store to a list, with their cursors and chain. Creates the list if
  /// the bundle starts from nothing.
  ///
  /// The source is read to its end before the transaction, so that others write meanwhile. A long
  /// one is read again in it. Every version is also verified here. Versions that the list already
  /// has are compared and skipped, so a bundle may be applied again.
  ///
  /// - Parameters:
  ///   - name: the list; nil for the name that the source gives.
  ///   - onProgress: called with each version before it is verified.
  ///   - open: opens the source; called once, or twice for a long one, which then should not make
  ///     its reader wait again.
  /// - Throws: `ServiceError.gone` when the list was dropped or renamed; `.diverged` when the list
  ///   has another version in place of one of these; `.tooNew` when the list ends before the bundle
  ///   starts; `.endsTooOld` when the list was pruned past the end of the bundle; `.brokenBundle`
  ///   when a version contradicts its record; `.limit` when an item or a step exceeds a limit of
  ///   the service; errors of the source; `StoreError`. The store is then unchanged.
  /// - Complexity: O(n / 1000 + d log d) for each step of d changes to a list of n items.
  public func apply(
    as name: ListName? = nil, onProgress: @escaping @Sendable (Version) -> Void = { _ in },
    from open: @Sendable () throws -> any BundleSource
  ) async throws -> ApplyOutcome {
    let whole = try KeptBundle(reading: open())
    return try await store.write { writer in
      var source: any BundleSource = try whole ?? open()
      var application = try BundleApplication(source.header(), as: name, in: writer, of: self)
      try application.start(from: &source)
      while let event = try source.next() {
        guard case .step(let step) = event else { throw application.tooManyItems }
        onProgress(step.to.version)
        try application.apply(step)
      }
      return try application.finish()
    }
  }
}

/// A bundle in memory.
struct KeptBundle: BundleSource, Sendable {
  private let bundle: BundleHeader
  private var events: ArraySlice<BundleEvent>

  init(of bundle: BundleHeader, _ events: [BundleEvent]) {
    (self.bundle, self.events) = (bundle, events[...])
  }

  /// Reads a source to its end; nil if it is too long to be kept in memory.
  init?(reading source: any BundleSource) throws {
    var source = source
    bundle = try source.header()
    events = []
    var byteCount = 0
    while let event = try source.next() {
      byteCount += event.byteCount
      if byteCount > Self.mostBytes { events = [] } else { events.append(event) }
    }
    if byteCount > Self.mostBytes { return nil }
  }

  private static let mostBytes = 16 << 20

  func header() -> BundleHeader { bundle }

  mutating func next() -> BundleEvent? { events.popFirst() }
}

extension BundleEvent {
  /// About how much memory it needs.
  fileprivate var byteCount: Int {
    let (items, count): ([Item], Int) =
      switch self {
      case .header: ([], 0)
      case .item(let item): ([item], 1)
      case .step(let step):
        (
          step.changes.inserted.map(\.item) + step.changes.updated.map(\.item),
          step.changes.counts.total
        )
      }
    return items.reduce(256 + 64 * count) { $0 + $1.content.bytes.count }
  }
}

/// Appends the versions of a bundle to a list, in one transaction.
private struct BundleApplication {
  private let service: SyncService
  private let header: BundleHeader
  private let writer: ListWriter
  private let isNew: Bool
  private var head: Head
  /// The last version of the bundle that was applied or skipped.
  private var reached: ListState
  private var addedCount = 0
  // The items of the base so far.
  private var baseSize: CommitSize
  private var baseCount = 0

  init(
    _ header: BundleHeader, as name: ListName?, in writer: ListWriter, of service: SyncService
  ) throws {
    self.service = service
    self.header = header
    self.writer = writer
    baseSize = CommitSize(service.limits)
    let (name, start) = (name ?? header.list, header.startState)
    guard max(start.version, header.target.version) <= .highest else {
      throw ServiceError.brokenBundle(
        list: name, version: header.target.version,
        reason: "no version has a number above \(Version.highest)")
    }
    reached = start
    let list = try writer.lockedList(name, for: [.head])
    isNew = list?.head ?? .zero == .zero
    if isNew, case .prerequisite(let state) = header.start, state.version > .zero {
      throw ServiceError.tooNew(start: state.knownCursor, list: name, head: .zero)
    }
    head = try Head(of: list ?? writer.makeList(name), in: writer)
    if !isNew { try checkConnection() }
  }

  /// Applies the items that precede the steps.
  mutating func start(from source: inout any BundleSource) throws {
    guard case .base(let record) = header.start else { return }
    guard record.version > Version(1) else {
      throw broken(record.version, "its own step leads to it, and no base")
    }
    if isNew {
      let (writer, list) = (writer, head.list.key)
      do {
        try writer.start(list, at: record) { try nextItem(of: &source) }
      } catch StoreError.duplicateItem {
        throw broken(record.version, "an item stands in it twice")
      } catch StoreError.wrongRoot {
        throw wrongBase(record)
      }
      guard let list = try writer.lockedList(head.list.name) else { throw StoreError.headMoved }
      head = try Head(of: list, in: writer)
      addedCount = 1
    } else {
      var builder = RootBuilder()
      for _ in 0..<record.count { builder.append(try nextItem(of: &source)) }
      guard builder.root == record.root else { throw wrongBase(record) }
    }
  }

  private func wrongBase(_ record: VersionRecord) -> ServiceError {
    broken(record.version, "its items do not have its root")
  }

  private mutating func nextItem(of source: inout any BundleSource) throws -> Item {
    guard case .item(let item)? = try source.next() else {
      throw broken(header.startState.version, "it has fewer items than it counts")
    }
    baseCount += 1
    try service.check(count: baseCount, of: head.list.name)
    try service.check(item, addedTo: &baseSize, of: head.list.name)
    return item
  }

  mutating func apply(_ step: ListDelta<BareChanges>) throws {
    try service.check(step.changes, of: head.list.name)
    let next = reached.version.next
    guard let header = step.to.header, header.version == next else {
      throw broken(next, "it comes next")
    }
    if next <= head.list.head {
      try check(step.to)
    } else {
      try append(step.changes, header)
      addedCount += 1
    }
    reached = step.to
  }

  func finish() throws -> ApplyOutcome {
    guard reached == header.target else {
      throw broken(header.target.version, "the versions do not lead to it")
    }
    // A mere repetition says nothing new about the list.
    if isNew || addedCount > 0 { try writer.setIDRule(header.idRule, of: head.list) }
    return ApplyOutcome(
      list: head.list.name, isNew: isNew, addedCount: addedCount, head: head.state)
  }

  /// Checks that the bundle starts at a version of the list or before, and ends there or after.
  private func checkConnection() throws {
    let (list, start, target) = (head.list, header.startState, header.target)
    guard start.version <= list.head else {
      throw ServiceError.tooNew(start: start.knownCursor, list: list.name, head: head.cursor)
    }
    guard target.version >= list.oldest || target.version == .zero else {
      let oldest = try writer.record(of: list.oldest, in: list)
      throw ServiceError.endsTooOld(
        target: target.knownCursor, list: list.name, oldest: oldest.cursor)
    }
    try check(start)
  }

  /// Checks that the list has the same version, unless it was pruned.
  private func check(_ state: ListState) throws {
    guard state.version >= head.list.oldest else { return }
    guard try writer.record(of: state.version, in: head.list).state == state else {
      throw ServiceError.diverged(state.knownCursor, list: head.list.name, here: head.cursor)
    }
  }

  private mutating func append(_ changes: BareChanges, _ header: VersionHeader) throws {
    let step: ChangeSet<Item>
    do {
      step = try head.step(changes)
    } catch ServiceError.misfit(_, let reason) {
      throw broken(header.version, reason)
    }
    guard BareChanges(step) == changes, !step.isEmpty else {
      throw broken(header.version, "its step is not the canonical one")
    }
    guard try head.append(head.proven(step), note: header.note, in: writer).header == header else {
      throw broken(header.version, "its root or its chain does not fit")
    }
  }

  var tooManyItems: ServiceError {
    broken(header.startState.version, "it has more items than it counts")
  }

  private func broken(_ version: Version, _ reason: String) -> ServiceError {
    .brokenBundle(list: head.list.name, version: version, reason: reason)
  }
}
