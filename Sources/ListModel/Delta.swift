import ListChanges

/// What brings a replica from one state of a list to another.
public struct Delta: Equatable, Sendable {
  /// Nil where two snapshots were compared that no store keeps.
  public let list: ListName?
  public let from: ListState
  public let to: ListState
  /// The first version that the store can still answer for; nil where there is no store.
  public let oldest: Version?
  /// The change set from `from` to `to`; every move has its id.
  public let changes: ChangeSet<Item>

  public init(
    list: ListName?, from: ListState, to: ListState, oldest: Version?, changes: ChangeSet<Item>
  ) {
    self.list = list
    self.from = from
    self.to = to
    self.oldest = oldest
    self.changes = changes
  }
}
