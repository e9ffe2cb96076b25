/// Where the steps of a bundle start.
public enum BundleStart: Equatable, Sendable {
  /// A full bundle, from version 0, the empty list.
  case zero
  /// A full bundle whose first items are those of this version, since what led to it was pruned.
  case base(VersionRecord)
  /// An incremental bundle, from a state that whoever applies it must have.
  case prerequisite(BundleState)

  public var state: BundleState {
    switch self {
    case .zero: .zero
    case .base(let record): BundleState(record)
    case .prerequisite(let state): state
    }
  }
}
