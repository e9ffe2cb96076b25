import ListChanges

/// The first line of a bundle, which holds successive versions of a list for another store: its
/// content and its needs.
public struct BundleHeader: Equatable, Sendable {
  public let list: ListName
  /// The rule for the ids in the list's snapshot files; nil where the list has none.
  public let idRule: String?
  public let start: BundleStart
  /// The state after the last step.
  public let target: BundleState

  public init(list: ListName, idRule: String?, start: BundleStart, target: BundleState) {
    self.list = list
    self.idRule = idRule
    self.start = start
    self.target = target
  }

  /// The state before the first step.
  public var startState: BundleState { start.state }

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
  /// An incremental bundle, for stores that have this state.
  case prerequisite(BundleState)

  public var state: BundleState {
    switch self {
    case .zero: .zero
    case .base(let record): BundleState(record)
    case .prerequisite(let state): state
    }
  }
}

/// A list at one version with the whole chain, which can prove that steps continue its history.
public struct BundleState: Hashable, Sendable {
  /// Version 0 of every list.
  public static let zero = BundleState(version: .zero, count: 0, root: .empty, chain: .zero)

  public let version: Version
  public let count: Int
  public let root: Root
  public let chain: Chain

  public init(version: Version, count: Int, root: Root, chain: Chain) {
    self.version = version
    self.count = count
    self.root = root
    self.chain = chain
  }

  public init(_ record: VersionRecord) {
    self.init(
      version: record.version, count: record.count, root: record.root, chain: record.chain)
  }

  public var cursor: Cursor { Cursor(version: version, chain: chain) }

  public var state: ListState { ListState(cursor: cursor, count: count, root: root) }
}

/// A version of a list and the changes that led to it from the version before.
public struct BundleStep: Equatable, Sendable {
  /// Its counts, of items and of changes, are those of `changes`.
  public let record: VersionRecord
  public let changes: BareChanges

  public init(_ record: VersionRecord, changes: BareChanges) {
    self.record = VersionRecord(
      version: record.version, note: record.note, count: changes.newCount,
      changes: changes.counts, root: record.root, chain: record.chain)
    self.changes = changes
  }

  /// - Precondition: Every move of the step has its id.
  public init(_ record: VersionRecord, changes: ChangeSet<Item>) {
    self.init(record, changes: BareChanges(changes))
  }
}

/// The content of a bundle in its order: the header, the items of the base, the steps.
public enum BundleEvent: Equatable, Sendable {
  case header(BundleHeader)
  /// The next item of the snapshot from which a full bundle starts.
  case item(Item)
  case step(BundleStep)
}
