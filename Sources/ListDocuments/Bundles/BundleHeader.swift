import ListModel

/// The first line of a bundle: what it holds, and what it needs.
public struct BundleHeader: Equatable, Sendable {
  public static let format = "list-bundle/1"

  public enum Start: Equatable, Sendable {
    /// Full: the steps start at version 0, the empty list.
    case zero
    /// Full: the items of this version come first; what led to it was pruned.
    case base(VersionRecord)
    /// Incremental: the steps start at a state that whoever applies the bundle must have.
    case prerequisite(BundleState)
  }

  public let list: ListName
  /// How ids are found in the list's snapshot files; nil where the list does not say.
  public let idRule: IDRule?
  public let start: Start
  /// The state that the last step leads to.
  public let target: BundleState

  public init(list: ListName, idRule: IDRule?, start: Start, target: BundleState) {
    self.list = list
    self.idRule = idRule
    self.start = start
    self.target = target
  }

  /// The state that the first step starts from.
  public var startState: BundleState {
    switch start {
    case .zero: .zero
    case .base(let record): BundleState(record)
    case .prerequisite(let state): state
    }
  }

  /// The number of items before the first step.
  var itemCount: Int {
    if case .base(let record) = start { record.count } else { 0 }
  }
}

/// A list at one version, with the whole chain: what steps can be proved to go on from.
public struct BundleState: Hashable, Sendable {
  /// Version 0 of every list.
  public static let zero = BundleState(version: .zero, count: 0, checksum: .zero, chain: .zero)

  public let version: Version
  public let count: Int
  public let checksum: Checksum
  public let chain: Chain

  public init(version: Version, count: Int, checksum: Checksum, chain: Chain) {
    self.version = version
    self.count = count
    self.checksum = checksum
    self.chain = chain
  }

  public init(_ record: VersionRecord) {
    self.init(
      version: record.version, count: record.count, checksum: record.checksum, chain: record.chain)
  }

  public var cursor: Cursor { Cursor(version: version, chain: chain) }

  public var state: ListState { ListState(cursor: cursor, count: count, checksum: checksum) }
}
