import ListChanges
import ListModel

/// The number by which a store knows a list.
public struct ListKey: Hashable, Sendable {
  let rawValue: Int64
}

/// A change's number is its list's in the high bits and a sequence within the list, from 1, in the
/// low ones; rows name other rows of their list by the sequence alone.
extension ListKey {
  static let sequenceBitCount: Int64 = 32
  static let largestSequence: Int64 = 1 << sequenceBitCount - 1

  /// The number under which all of the list's numbers lie.
  var base: Int64 { rawValue << Self.sequenceBitCount }

  func holds(_ sequence: Int64) -> Bool { (1...Self.largestSequence).contains(sequence) }
}

/// The number by which a store knows an item: that of the change by which it first came.
public struct ItemKey: Hashable, Sendable {
  let rawValue: Int64

  init(rawValue: Int64) { self.rawValue = rawValue }
  init(_ list: ListKey, sequence: Int64) { rawValue = list.base | sequence }

  var sequence: Int64 { rawValue & ListKey.largestSequence }
}

/// The number by which a store knows a content of an item: that of the change that wrote it. Contents
/// of equal keys are equal; a content that the item had long ago may come back under another key.
public struct ContentKey: Hashable, Sendable {
  let rawValue: Int64

  init(rawValue: Int64) { self.rawValue = rawValue }
  init(_ list: ListKey, sequence: Int64) { rawValue = list.base | sequence }

  var sequence: Int64 { rawValue & ListKey.largestSequence }
}

/// An item with its content, as two numbers: all that order and equality need.
public struct StoredItem: Identifiable, Equatable, Sendable {
  public let id: ItemKey
  public let content: ContentKey

  /// Whether the content is the one that came with the item.
  var hasOwnContent: Bool { id.rawValue == content.rawValue }
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

extension ListRecord {
  /// The same list when its head has moved on.
  public func at(head: Version) -> ListRecord {
    ListRecord(key: key, name: name, head: head, oldest: oldest, idRule: idRule)
  }

  /// The first version that is answerable as a step from the one before it: version 1 where nothing
  /// was pruned.
  public var firstStep: Version { oldest == Version(1) ? oldest : oldest.next }
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

/// Changes between two versions that were kept since they were costly to make.
public struct KeptChanges: Sendable {
  public let changes: ChangeSet<Item>
  public let usedAt: Timestamp
}

/// Two versions between which changes are kept.
public struct KeptRange: Hashable, Sendable {
  public let from: Version
  public let to: Version
}
