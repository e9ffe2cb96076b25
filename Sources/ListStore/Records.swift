import ListChanges
import ListModel

/// The number by which a store knows a list.
public struct ListKey: Hashable, Sendable {
  let rawValue: Int64
}

/// The number by which a store knows an item: that of the change by which it first came.
public struct ItemKey: Hashable, Sendable {
  let rawValue: Int64
}

/// The number by which a store knows a content of an item: that of the change that wrote it. Two
/// contents of one item are equal exactly when their keys are.
public struct ContentKey: Hashable, Sendable {
  let rawValue: Int64
}

/// An item with its content, as two numbers: all that order and equality need.
public struct StoredItem: Identifiable, Equatable, Sendable {
  public let id: ItemKey
  public let content: ContentKey
}

/// A list as the store keeps it.
public struct ListRecord: Sendable, Equatable {
  public let key: ListKey
  public let name: ListName
  /// The newest version; 0 before the first commit.
  public let head: Version
  /// The first version that is still kept.
  public let oldest: Version
  /// What ``ListWriter/setIDRule(_:of:)`` noted last.
  public let idRule: String?
}

/// The change set from the version before to a version.
public struct Step: Sendable {
  public let version: Version
  public let changes: ChangeSet<StoredItem>
}

/// One change of one item, in the version that made it.
public struct ItemChange: Sendable, Equatable {
  public let version: Version
  /// The index before; nil when the item was inserted.
  public let from: Int?
  /// The index after; nil when the item was removed.
  public let to: Int?
  /// Whether the item is among those that moved, not merely shifted by others.
  public let isMove: Bool
  public let oldContent: ContentKey?
  public let newContent: ContentKey?
}
