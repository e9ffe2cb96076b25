import ListChanges
import ListModel

/// The number of a list in a store.
public struct ListKey: Hashable, Sendable {
  package let rawValue: Int64

  package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// The number of a row has the list in its high bits and a sequence within the list, from 1, in its
/// low bits. Rows reference other rows of their list by the sequence alone.
extension ListKey {
  private static let sequenceBitCount: Int64 = 32
  package static let largestSequence: Int64 = 1 << sequenceBitCount - 1
  /// The largest number of a list.
  package static let largest: Int64 = 1 << 31 - 1

  /// The base of the numbers of the list's rows: all of them are larger.
  package var base: Int64 { rawValue << Self.sequenceBitCount }
  /// The largest number that a row of the list can have.
  package var last: Int64 { base | Self.largestSequence }

  package static let sequences = 1...largestSequence
  package func holds(_ sequence: Int64) -> Bool { Self.sequences.contains(sequence) }
}

/// The number of an item in a store: the number of the change that introduced it.
public struct ItemKey: Hashable, Sendable {
  package let rawValue: Int64

  package init(rawValue: Int64) { self.rawValue = rawValue }
  package init(_ list: ListKey, sequence: Int64) { rawValue = list.base | sequence }

  package var sequence: Int64 { rawValue & ListKey.largestSequence }
  package var list: ListKey { ListKey(rawValue: rawValue >> 32) }
}

/// The number of a content in a store: the number of the change that wrote it. Contents with equal
/// keys are equal. A content that the item had long ago may return with another key.
public struct ContentKey: Hashable, Sendable {
  package let rawValue: Int64

  package init(rawValue: Int64) { self.rawValue = rawValue }
  package init(_ list: ListKey, sequence: Int64) { rawValue = list.base | sequence }

  package var sequence: Int64 { rawValue & ListKey.largestSequence }
}

/// An item with its content, as two numbers: enough for order and equality.
public struct StoredItem: Identifiable, Equatable, Sendable {
  public let id: ItemKey
  public let content: ContentKey

  package init(id: ItemKey, content: ContentKey) {
    self.id = id
    self.content = content
  }

  /// Whether the content is the one with which the item was introduced.
  package var hasOwnContent: Bool { id.rawValue == content.rawValue }
}

/// A list as stored.
public struct ListRecord: Sendable, Equatable {
  public let key: ListKey
  public let name: ListName
  /// The newest version; 0 before the first commit.
  public package(set) var head: Version
  /// The first version that is still kept.
  public let oldest: Version
  /// The rule for ids that ``ListWriter/setIDRule(_:of:)`` set last.
  public let idRule: String?
  /// The limits that ``ListWriter/setLimits(_:of:)`` set last.
  public let limits: ChangeLimits
}

extension ListRecord {
  /// Makes the record of a list without versions.
  init(new name: ListName, _ key: ListKey) {
    self.init(
      key: key, name: name, head: .zero, oldest: Version(1), idRule: nil, limits: .none)
  }

  /// The first version whose step is known: version 1 unless versions were pruned.
  public var firstStep: Version { oldest == Version(1) ? oldest : oldest.next }
}

/// The change set of one version, from the version before it.
public typealias Step = (version: Version, changes: ChangeSet<StoredItem>)

/// One change of one item.
public struct ItemChange: Sendable, Equatable {
  /// The version that made it.
  public let record: VersionRecord
  /// The index before the change; nil when the item was inserted.
  public let from: Int?
  /// The index after the change; nil when the item was removed.
  public let to: Int?
  /// Whether the item itself moved; its index also changes when others move.
  public let isMove: Bool
  public let oldContent: Content?
  public let newContent: Content?
  /// The id that the item had then, if it has got another one since.
  public var formerID: ItemID?

  package init(
    record: VersionRecord, from: Int?, to: Int?, isMove: Bool, oldContent: Content?,
    newContent: Content?
  ) {
    (self.record, self.from, self.to, self.isMove) = (record, from, to, isMove)
    (self.oldContent, self.newContent) = (oldContent, newContent)
  }

  /// The changed members of the content; empty for an insertion or a removal, and for a move that
  /// keeps the content.
  public var memberChanges: [MemberChange] {
    guard let oldContent, let newContent else { return [] }
    return oldContent.memberChanges(to: newContent)
  }
}

/// Changes between two versions, which are kept because they were costly to compute, and the time
/// of their last use.
public typealias KeptChanges = (changes: ChangeSet<Item>, usedAt: Timestamp)

/// Two versions between which changes are kept.
public struct KeptRange: Hashable, Sendable {
  public let from: Version
  public let to: Version

  package init(from: Version, to: Version) {
    self.from = from
    self.to = to
  }
}
