import ListChanges
import ListModel

/// Replays a full bundle, and so proves what its reader cannot: each step fits the list, is the
/// canonical one, and leads to its root. An incremental bundle is not examined, since its list
/// is not there.
///
///     for event in try reader.read(chunk) { try replay.apply(event) }
///
/// Memory: the list.
public struct BundleReplay {
  /// The list as the steps so far left it.
  private var list = DeltaReplay(.empty)
  private var isFull = false
  private var baseRoot = Root.empty
  /// The items of the base; moved into the list by the first step.
  private var items: [Item] = []
  private var ids: Set<ItemID> = []
  private var line = 0

  public init() {}

  /// Proves the next event of a reader.
  ///
  /// - Throws: `BundleError` of those grouped under replaying, `.changes`.
  /// - Complexity: O(d log n) for a step of d changes and a list of n items.
  public mutating func apply(_ event: BundleEvent) throws(BundleError) {
    line += 1
    switch event {
    case .header(let header):
      if case .prerequisite = header.start { return }
      if header.startState.version == Version(1) { throw .baseIsFirst }
      isFull = true
      baseRoot = header.startState.root
    case .item(let item):
      guard isFull else { return }
      guard ids.insert(item.id).inserted else { throw .duplicateItem(item.id, line: line) }
      items.append(item)
    case .step(let step):
      if isFull { try apply(step) }
    }
  }

  private mutating func apply(_ step: BundleStep) throws(BundleError) {
    if !items.isEmpty {
      list = DeltaReplay(Snapshot(uniqueItems: items), root: baseRoot, ids: ids)
      (items, ids) = ([], [])
    }
    let changes: ChangeSet<Item>
    do {
      changes = try list.apply(step.changes)
    } catch {
      if case .duplicateID(let id, _, _, _) = error { throw .duplicateItem(id, line: line) }
      throw .changes(error, line: line)
    }
    guard changes == changes.canonical(), changes.updated.allSatisfy({ $0.old != $0.new }) else {
      throw .notCanonical(line: line, version: step.record.version)
    }
    // Removing and inserting an item in one step would be a change of it.
    let removed = Set(changes.removed.map(\.element.id))
    if let item = changes.inserted.first(where: { removed.contains($0.element.id) }) {
      throw .duplicateItem(item.element.id, line: line)
    }
    guard list.root == step.record.root else {
      throw .wrongRoot(line: line, version: step.record.version)
    }
  }
}
