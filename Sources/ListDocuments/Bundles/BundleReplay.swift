import ListChanges
import ListModel

/// Replays what a full bundle holds, and so proves what its reader cannot: that each step fits the
/// list, is the canonical one, and leads to its checksum. Of an incremental bundle, whose list is
/// not there, nothing is looked at.
///
///     for event in try reader.read(chunk) { try replay.take(event) }
///
/// Memory: the list.
public struct BundleReplay {
  /// Nil for an incremental bundle.
  private var list: Replayed?
  private var line = 0

  public init() {}

  /// Takes the next event of a reader.
  ///
  /// - Throws: `BundleError` of those grouped under replaying, `.changes`.
  /// - Complexity: O(d log n) for a step of d changes and a list of n items.
  public mutating func take(_ event: BundleEvent) throws(BundleError) {
    line += 1
    switch event {
    case .header(let header): list = try Replayed(header)
    case .item(let item): try list?.append(item, line: line)
    case .step(let step): try list?.apply(step, line: line)
    }
  }
}

/// The list of a full bundle as it stands.
private struct Replayed {
  /// The items of the base that came so far; moved into the list by the first step.
  private var items: [Item] = []
  private var list: SummedList
  private var ids: Set<ItemID> = []

  /// Nil for an incremental bundle.
  init?(_ header: BundleHeader) throws(BundleError) {
    if case .prerequisite = header.start { return nil }
    if header.startState.version == Version(1) { throw .baseIsFirst }
    list = SummedList([], checksum: header.startState.checksum)
  }

  mutating func append(_ item: Item, line: Int) throws(BundleError) {
    try insert(item.id, line: line)
    items.append(item)
  }

  mutating func apply(_ step: BundleStep, line: Int) throws(BundleError) {
    if !items.isEmpty {
      list = SummedList(items, checksum: list.checksum)
      items = []
    }
    let version = step.record.version
    let changes = try completed(step.changes, line: line)
    guard changes == changes.canonical(), changes.updated.allSatisfy({ $0.old != $0.new }) else {
      throw .notCanonical(line: line, version: version)
    }
    // An item that goes and comes in one step would be a change of it.
    for insertion in changes.inserted { try insert(insertion.element.id, line: line) }
    for removal in changes.removed { ids.remove(removal.element.id) }
    do {
      try list.apply(changes)
    } catch {
      throw .changes(error, line: line)
    }
    guard list.checksum == step.record.checksum else {
      throw .wrongChecksum(line: line, version: version)
    }
  }

  private func completed(
    _ changes: BareChanges, line: Int
  ) throws(BundleError) -> ChangeSet<Item> {
    do {
      return try list.completed(changes)
    } catch {
      throw .changes(error, line: line)
    }
  }

  private mutating func insert(_ id: ItemID, line: Int) throws(BundleError) {
    guard ids.insert(id).inserted else { throw .duplicateItem(id, line: line) }
  }
}
