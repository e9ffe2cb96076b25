/// The first line of a bundle, which holds successive versions of a list for another store: its
/// content and its needs.
public struct BundleHeader: Equatable, Sendable {
  public let list: ListName
  /// The rule for the ids in the list's snapshot files; nil where the list has none.
  public let idRule: String?
  public let start: BundleStart
  /// The state after the last step, with its header.
  public let target: ListState

  public init(list: ListName, idRule: String?, start: BundleStart, target: ListState) {
    self.list = list
    self.idRule = idRule
    self.start = start
    self.target = target
  }

  /// The state before the first step.
  public var startState: ListState { start.state }

  /// Whether the bundle needs no list.
  package var isFull: Bool {
    if case .prerequisite = start { false } else { true }
  }

  /// The number of items before the first step.
  package var itemCount: Int {
    if case .base(let record) = start { record.count } else { 0 }
  }
}

/// The start of a bundle's steps.
public enum BundleStart: Equatable, Sendable {
  /// A full bundle, from version 0, the empty list.
  case zero
  /// A full bundle that begins with the items of this version, because earlier steps were pruned.
  case base(VersionRecord)
  /// An incremental bundle, for stores that have this state, which has its header.
  case prerequisite(ListState)

  public var state: ListState {
    switch self {
    case .zero: .zero
    case .base(let record): record.state
    case .prerequisite(let state): state
    }
  }
}

/// The content of a bundle in its order: the header, the items of the base, the steps.
public enum BundleEvent: Equatable, Sendable {
  case header(BundleHeader)
  /// The next item of the snapshot from which a full bundle starts.
  case item(Item)
  /// The step from the state before to the next version, which has its header.
  case step(ListDelta<BareChanges>)
}
