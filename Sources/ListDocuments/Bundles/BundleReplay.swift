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
  /// The list as the steps so far left it; nil for an incremental bundle.
  private var list: DeltaReplay?
  private var base = ListState.zero
  /// The items of the base so far.
  private var items: [Item] = []
  private var line = 0

  public init() {}

  /// Proves the next event of a reader.
  ///
  /// - Throws: `BundleError.document` when a step does not fit the list or its root, or when the
  ///   base has an item twice; `.notCanonical`.
  /// - Complexity: O(d log n) for a step of d changes and a list of n items.
  public mutating func apply(_ event: BundleEvent) throws(BundleError) {
    line += 1
    let changes: ChangeSet<Item>?
    do throws(DeltaError) {
      changes = try self.changes(of: event)
    } catch {
      throw .document(error, line: line)
    }
    guard case .step(let step) = event, let changes, !changes.isCanonical else { return }
    throw .notCanonical(line: line, version: step.to.version)
  }

  /// Takes in an event; the changes of a step, if there is a list.
  private mutating func changes(of event: BundleEvent) throws(DeltaError) -> ChangeSet<Item>? {
    switch event {
    case .header(let header):
      base = header.startState
      list = header.isFull ? DeltaReplay(.empty) : nil
    case .item(let item):
      items.append(item)
      if items.count == base.count { try endBase() }
    case .step(let step): return try list?.apply(step)
    }
    return nil
  }

  private mutating func endBase() throws(DeltaError) {
    do {
      list = DeltaReplay(try Snapshot(items), root: base.root)
      items = []
    } catch {
      throw .changes(error)
    }
  }
}
