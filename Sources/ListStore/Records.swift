import ListChanges
import ListModel

/// The number by which a store knows a list.
public struct ListKey: Hashable, Sendable {
  package let rawValue: Int64

  package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A change's number is its list's in the high bits and a sequence within the list, from 1, in the
/// low ones; rows name other rows of their list by the sequence alone.
extension ListKey {
  private static let sequenceBitCount: Int64 = 32
  package static let largestSequence: Int64 = 1 << sequenceBitCount - 1

  /// The number under which all of the list's numbers lie.
  package var base: Int64 { rawValue << Self.sequenceBitCount }

  package func holds(_ sequence: Int64) -> Bool { (1...Self.largestSequence).contains(sequence) }
}

/// The number by which a store knows an item: that of the change by which it first came.
public struct ItemKey: Hashable, Sendable {
  package let rawValue: Int64

  package init(rawValue: Int64) { self.rawValue = rawValue }
  package init(_ list: ListKey, sequence: Int64) { rawValue = list.base | sequence }

  package var sequence: Int64 { rawValue & ListKey.largestSequence }
}

/// The number by which a store knows a content of an item: that of the change that wrote it. Contents
/// of equal keys are equal; a content that the item had long ago may come back under another key.
public struct ContentKey: Hashable, Sendable {
  package let rawValue: Int64

  package init(rawValue: Int64) { self.rawValue = rawValue }
  package init(_ list: ListKey, sequence: Int64) { rawValue = list.base | sequence }

  package var sequence: Int64 { rawValue & ListKey.largestSequence }
}

/// An item with its content, as two numbers: all that order and equality need.
public struct StoredItem: Identifiable, Equatable, Sendable {
  public let id: ItemKey
  public let content: ContentKey

  package init(id: ItemKey, content: ContentKey) {
    self.id = id
    self.content = content
  }

  /// Whether the content is the one that came with the item.
  package var hasOwnContent: Bool { id.rawValue == content.rawValue }
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

  package init(key: ListKey, name: ListName, head: Version, oldest: Version, idRule: String?) {
    self.key = key
    self.name = name
    self.head = head
    self.oldest = oldest
    self.idRule = idRule
  }
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

  package init(version: Version, changes: ChangeSet<StoredItem>) {
    self.version = version
    self.changes = changes
  }
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

  package init(_ row: ChangeRow, in version: Version) {
    self.version = version
    from = row.from
    to = row.to
    isMove = row.kind == .move
    oldContent = row.oldContent
    newContent = row.newContent
  }
}

/// Changes between two versions that were kept since they were costly to make.
public struct KeptChanges: Sendable {
  public let changes: ChangeSet<Item>
  public let usedAt: Timestamp

  package init(changes: ChangeSet<Item>, usedAt: Timestamp) {
    self.changes = changes
    self.usedAt = usedAt
  }
}

/// Two versions between which changes are kept.
public struct KeptRange: Hashable, Sendable {
  public let from: Version
  public let to: Version

  package init(from: Version, to: Version) {
    self.from = from
    self.to = to
  }
}
