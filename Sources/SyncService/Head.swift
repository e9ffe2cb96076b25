import ListChanges
import ListModel
import ListStore

/// The newest version of a list in a transaction that writes, while versions are appended to it.
struct Head {
  private(set) var list: ListRecord
  /// Nil at version 0.
  private(set) var record: VersionRecord?
  private(set) var order: HeadOrder

  init(of list: ListRecord, in reader: any ListReader) throws {
    self.list = list
    record = list.head > .zero ? try reader.record(of: list.head, in: list) : nil
    order = try reader.order(of: list)
  }

  var state: ListState { record?.state ?? .zero }
  var cursor: Cursor { record?.cursor ?? Cursor(version: .zero, chain: .zero) }

  /// Appends the next version.
  ///
  /// - Parameters:
  ///   - step: the canonical change set from the head, every move named.
  ///   - checksum: that of the new version.
  /// - Throws: `StoreError.listFull` when the head is the last version that a list can have.
  mutating func append(
    _ step: ChangeSet<Item>, checksum: Checksum, note: CommitNote, in writer: any ListWriter
  ) throws -> VersionRecord {
    guard cursor.version < .highest else { throw StoreError.listFull }
    let version = cursor.version.next
    let chain = (record?.chain ?? .zero).extended(
      by: step, to: version, checksum: checksum, note: note)
    let record = VersionRecord(
      version: version, note: note, count: step.newCount, changes: ChangeCounts(step),
      checksum: checksum, chain: chain)
    try append(record, step, in: writer)
    return record
  }

  /// Appends a version whose record is known.
  mutating func append(
    _ record: VersionRecord, _ step: ChangeSet<Item>, in writer: any ListWriter
  ) throws {
    try writer.append(record, step: step, to: list.key, order: &order)
    self.record = record
    list = list.at(head: record.version)
    try writer.writeCheckpointWhereDue(of: list, order)
  }

  /// The indexes of those of some items that the head holds.
  mutating func indexes(
    of ids: [ItemID], in reader: any ListReader
  ) throws -> [ItemID: Int] {
    let keys = try reader.keys(of: ids, in: list.key)
    let indexes = try order.indexes(of: Set(keys.compactMap(\.self)))
    return Dictionary(
      zip(ids, keys).compactMap { id, key in key.flatMap { indexes[$0] }.map { (id, $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The items at some indexes, as text.
  mutating func items(at indexes: [Int], in reader: any ListReader) throws -> [Item] {
    try reader.checkedItems(order.items(at: indexes))
  }

  /// The ids of the items at some indexes.
  mutating func ids(at indexes: [Int], in reader: any ListReader) throws -> [ItemID] {
    try reader.ids(of: order.items(at: indexes).map(\.id))
  }
}

extension ListWriter {
  fileprivate func writeCheckpointWhereDue(of list: ListRecord, _ order: HeadOrder) throws {
    let last = try newestCheckpoint(of: list.key, notAfter: list.head) ?? .zero
    guard last < list.head else { return }
    let changes = try changeCount(max(last.next, list.firstStep)...list.head, of: list.key)
    guard CheckpointRule.isDue(changesSinceLast: changes, itemCount: order.count) else { return }
    try writeCheckpoint(order.items(), at: list.head, of: list.key)
  }
}
