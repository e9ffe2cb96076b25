import ListModel

/// Several versions of a list, one after the other, on their way from one store to another: what a
/// bundle holds.
public struct VersionRange: Equatable, Sendable {
  /// What follows, in this order: the items of the base, then the steps.
  public enum Part: Equatable, Sendable {
    case item(Item)
    case step(VersionRecord, BareChanges)
  }

  public let list: ListName
  /// How ids are found in the list's snapshot files; nil where the list does not say.
  public let idRule: String?
  public let start: BundleStart
  /// The state that the last step leads to.
  public let target: BundleState

  public init(list: ListName, idRule: String?, start: BundleStart, target: BundleState) {
    self.list = list
    self.idRule = idRule
    self.start = start
    self.target = target
  }

  /// The state that the first step starts from.
  public var startState: BundleState { start.state }
}
