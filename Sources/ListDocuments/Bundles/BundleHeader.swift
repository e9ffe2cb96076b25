import ListModel

/// The first line of a bundle: what it holds, and what it needs.
public struct BundleHeader: Equatable, Sendable {
  public static let format = "list-bundle/1"

  public let list: ListName
  /// How ids are found in the list's snapshot files; nil where the list does not say.
  public let idRule: IDRule?
  public let start: BundleStart
  /// The state that the last step leads to.
  public let target: BundleState

  public init(list: ListName, idRule: IDRule?, start: BundleStart, target: BundleState) {
    self.list = list
    self.idRule = idRule
    self.start = start
    self.target = target
  }

  /// The state that the first step starts from.
  public var startState: BundleState { start.state }

  /// The number of items before the first step.
  var itemCount: Int {
    if case .base(let record) = start { record.count } else { 0 }
  }
}
