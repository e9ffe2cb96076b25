import ListChanges
import ListModel
import ListStore

/// A range of versions to be exported as a bundle.
public struct ExportRequest: Sendable {
  public let list: ListName
  /// The version that the receiver has; nil if it has none.
  public var since: Revision?
  public var to: Revision = .head
  /// Whether the receiver has nothing, so that the bundle begins with the items of `since`.
  public var isWhole = false
  /// The highest number of changes or items in a batch of more than one version, 1 or more; nil
  /// for the list's own number.
  public var batchCount: Int?

  public init(list: ListName) { self.list = list }
}

extension SyncService {
  /// Looks up the versions of a bundle, to be read in batches. Without `since`, it begins at
  /// version 0, or at the oldest version if others were pruned.
  ///
  /// - Throws: `ServiceError` of looking up; `.tooOld` when `since` or `to` was
  ///   pruned; `.emptyBundle` when `to` is not after `since`, or before it in a whole bundle.
  public func export(_ request: ExportRequest) async throws -> BundleExport {
    let store = store
    return try await store.read { reader in
      let list = try reader.existingList(request.list)
      let header = BundleHeader(
        list: list.name, idRule: list.idRule, start: try reader.start(of: request, in: list),
        target: try reader.state(of: request.to, in: list))
      // Version 0 precedes every version, also if the versions after it were pruned.
      guard request.since != nil || header.startState.version <= header.target.version else {
        throw list.tooOld(request.to.description)
      }
      let (start, end) = (header.startState.version, header.target.version)
      guard request.since == nil || start < end || (request.isWhole && start == end) else {
        throw ServiceError.emptyBundle(
          list: list.name, from: header.startState.knownCursor,
          to: header.target.knownCursor)
      }
      var items: [StoredItem] = []
      if case .base(let record) = header.start {
        items = try reader.storedItems(at: record.version, of: list)
      }
      let isEmpty = start >= end || start.next < list.firstStep
      let changeCount = isEmpty ? 0 : try reader.changeCount(start.next...end, of: list.key)
      return BundleExport(
        header: header, itemCount: items.count + changeCount, store: store,
        highestBatchCount: max(1, try request.batchCount ?? reader.stepBatchCount(of: list)),
        itemBatchCount: 1 << 16,
        items: items,
        version: header.startState.version)
    }
  }
}

/// Reads the items and steps after a header, batch by batch.
///
/// Each batch has its own transaction: versions never change, and a slow receiver keeps no
/// transaction open. The first batches are small, so that a receiver has something soon. Memory: a
/// batch or one version, and the keys of a base.
public struct BundleExport: Sendable {
  public let header: BundleHeader
  /// How many items and changes follow.
  public let itemCount: Int
  let store: any ListStore
  let highestBatchCount: Int
  /// The most changes of the next batch, unless they are of one version.
  var batchCount = ListReader.standardBatchCount
  /// The most items of a batch, which may need all blocks of a list.
  let itemBatchCount: Int
  /// The items of the base.
  let items: [StoredItem]
  var itemIndex = 0
  /// The last version whose step was read.
  var version: Version

  /// The next items or steps; none at the end.
  ///
  /// - Throws: `ServiceError.tooOld` when a later version of it was pruned; `.gone` when the
  ///   list was dropped or renamed; `.diverged` when another list has its name since.
  public mutating func nextBatch() async throws -> [BundleEvent] {
    if itemIndex < items.count { return try await nextItems() }
    return version < header.target.version ? try await nextSteps() : []
  }

  private mutating func nextItems() async throws -> [BundleEvent] {
    let batch = Array(items[itemIndex...].prefix(max(1, itemBatchCount)))
    let (header, version) = (header, version)
    let texts = try await store.read { reader in
      // If this version was pruned, its items may be deleted.
      _ = try reader.record(of: version, in: reader.list(of: header))
      return try reader.checkedItems(batch)
    }
    itemIndex += batch.count
    return texts.map { .item($0) }
  }

  private mutating func nextSteps() async throws -> [BundleEvent] {
    let (header, version, limit) = (header, version, min(batchCount, highestBatchCount))
    let deltas = try await store.read { reader in
      let list = try reader.list(of: header)
      guard version.next >= list.firstStep else { throw list.tooOld(version.next.description) }
      let end = min(header.target.version.number, version.number.adding(limit))
      let way = (version.number...end).map { Version($0) }
      return try reader.deltas(along: way[...], of: list, upTo: limit)
    }
    self.version = Version(version.number + deltas.count)
    batchCount = 2 * limit
    return deltas.map { delta in
      var step = ListDelta<BareChanges>(delta)
      step.oldest = nil
      return .step(step)
    }
  }
}

extension ListReader {
  /// The list of a bundle. The chain of the bundle's last version proves that it is the same list.
  fileprivate func list(of header: BundleHeader) throws -> ListRecord {
    let list = try existingList(header.list)
    _ = try state(of: .cursor(header.target.knownCursor), in: list)
    return list
  }

  fileprivate func start(of request: ExportRequest, in list: ListRecord) throws -> BundleStart {
    guard let since = request.since else {
      if list.oldest == Version(1) { return .zero }
      return .base(try record(of: list.oldest, in: list))
    }
    let state = try state(of: since, in: list)
    // A bundle from version 1 on has its step, and needs no base.
    if request.isWhole, state.version > Version(1) {
      return .base(try record(of: state.version, in: list))
    }
    if !request.isWhole, state.version > .zero { return .prerequisite(state) }
    guard list.oldest == Version(1) else { throw list.tooOld(since.description) }
    return .zero
  }
}
