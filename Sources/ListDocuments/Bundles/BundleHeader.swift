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
