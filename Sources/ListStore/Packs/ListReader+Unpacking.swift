import ListModel

/// The packed changes of a list, to be stored as plain rows again.
public struct Unpacking: Sendable {
  public let list: ListKey
  /// The first plain row and the oldest version of the list when this was made.
  let (firstPlain, oldest): (Int64, Version)
  let slices: [Slice]
  /// The rows of pruned steps that are still referenced, ascending.
  let kept: [KeptRow]
  /// The first change whose step is kept.
  let firstStep: Int64

  struct KeptRow: Sendable {
    let sequence: Int64
    let item: Int64
    /// Whether the row writes a content that is referenced.
    let hasContent: Bool
  }

  /// The number of plain rows that the packs become.
  public var rowCount: Int { kept.count + Int(firstPlain - firstStep) }
}

extension ListReader {
  /// Plans the unpacking of a list.
  ///
  /// - Returns: the plan; nil if the list has no packs.
  public func unpacking(of list: ListRecord) throws -> Unpacking? {
    let row = try row(of: list.key)
    if row.firstPlain == 1 { return nil }
    let firstStep =
      try list.head < list.firstStep
      ? row.firstPlain : min(firstChange(of: list.firstStep, in: list.key), row.firstPlain)
    var kept: [Unpacking.KeptRow] = []
    if firstStep > 1 {
      let items = try checkpoint(at: list.oldest, of: list.key)
      let texts = try keptTexts(of: items, before: firstStep, list.key)
      for (item, contents) in texts.contents {
        kept += contents.union([item]).filter { $0 < firstStep }.map {
          Unpacking.KeptRow(sequence: $0, item: item, hasContent: contents.contains($0))
        }
      }
      kept.sort { $0.sequence < $1.sequence }
      guard zip(kept, kept.dropFirst()).allSatisfy({ $0.sequence < $1.sequence }) else {
        throw StoreError.corrupt(reason: "two items of a list have the same content")
      }
    }
    return Unpacking(
      list: list.key, firstPlain: row.firstPlain, oldest: row.oldest,
      slices: try slices(of: list.key), kept: kept, firstStep: firstStep)
  }

  /// Returns the next plain rows of an unpacking, from a position on; none at the end.
  ///
  /// - Throws: `StoreError.headMoved` if another writer has packed, pruned or dropped the list
  ///   since.
  /// - Complexity: reads the blocks that have these rows.
  public func plainRows(of unpacking: Unpacking, from position: Int) throws -> [PlainRow] {
    let list = unpacking.list
    guard try isCurrent(unpacking) else { throw StoreError.headMoved }
    let kept = unpacking.kept.dropFirst(position).prefix(PlainRow.count)
    var rows = kept.map { ChangeRow($0, of: list) }
    if kept.isEmpty {
      let start = unpacking.firstStep + Int64(position - unpacking.kept.count)
      let end = min(start + Int64(PlainRow.count), unpacking.firstPlain)
      if start < end { try packedRows(start..<end, of: list) { rows.append($0) } }
    }
    let referred = Dictionary(uniqueKeysWithValues: kept.map { ($0.sequence, $0.hasContent) })
    let writing = rows.filter { $0.writesContent && referred[$0.sequence] ?? true }
    let introducing = rows.filter(\.introducesItem)
    let contents = try contents(
      of: writing.map { StoredItem(id: $0.item, content: ContentKey(list, sequence: $0.sequence)) })
    let ids = try ids(of: introducing.map(\.item))
    var nextContent = zip(writing, contents).makeIterator()
    var nextID = zip(introducing, ids).makeIterator()
    var (content, id) = (nextContent.next(), nextID.next())
    return rows.map { row in
      var plain = PlainRow(row: row, id: nil, content: nil)
      if let found = content, found.0.sequence == row.sequence {
        (plain.content, content) = (found.1, nextContent.next())
      }
      if let found = id, found.0.sequence == row.sequence {
        (plain.id, id) = (found.1, nextID.next())
      }
      return plain
    }
  }

  func isCurrent(_ unpacking: Unpacking) throws -> Bool {
    let row = try row(of: unpacking.list)
    return try row.firstPlain == unpacking.firstPlain && row.oldest == unpacking.oldest
      && slices(of: unpacking.list) == unpacking.slices
  }
}

/// A change row with its texts.
public struct PlainRow: Sendable {
  /// The number of rows that one transaction stores.
  static let count = 4096

  let row: ChangeRow
  fileprivate(set) var id: ItemID?
  fileprivate(set) var content: Content?
}

extension ChangeRow {
  /// Makes a row as pruning leaves it: its step is no longer known.
  fileprivate init(_ kept: Unpacking.KeptRow, of list: ListKey) {
    let introducesItem = kept.sequence == kept.item
    self.init(
      list: list, sequence: kept.sequence, kind: introducesItem ? .insert : .update,
      item: ItemKey(list, sequence: kept.item), from: introducesItem ? nil : 0, to: 0,
      oldContent: nil, newContent: ContentKey(list, sequence: kept.sequence))
  }
}

extension ListWriter {
  /// Sets whether the rows of a list stay plain until a user packs them with a command.
  public func keepPlain(_ isKept: Bool, _ list: ListKey) throws {
    if try lockedRow(of: list).keepsPlain != isKept { try update(list) { $0.keepsPlain = isKept } }
  }

  /// Stores plain rows that are also still packed. They are not read before the packs are replaced.
  public func store(_ rows: [PlainRow], of unpacking: Unpacking) throws {
    guard let first = rows.first, let last = rows.last else { return }
    _ = try lockedRow(of: unpacking.list)
    guard try isCurrent(unpacking) else { throw StoreError.headMoved }
    // An earlier try may have left some rows.
    try engineWriter.delete(
      RowRange(
        of: .changes, in: unpacking.list, from: first.row.sequence, through: last.row.sequence))
    var insertion = ChangeInsertion(unpacking.list)
    for row in rows { try insertion.insert(row.row, row.id, row.content, into: engineWriter) }
  }

  /// Replaces the packs by their plain rows, which must all be stored.
  ///
  /// - Throws: `StoreError.headMoved` if another writer has packed, pruned or dropped the list
  ///   since.
  public func install(_ unpacking: Unpacking) throws {
    let list = unpacking.list
    _ = try lockedRow(of: list)
    var count = 0
    let rows = RowRange(of: .changes, in: list, through: unpacking.firstPlain - 1)
    try engine.rows(in: rows.withoutData) { _ in
      count += 1
      return true
    }
    guard try isCurrent(unpacking), count == unpacking.rowCount else { throw StoreError.headMoved }
    try engineWriter.delete(RowRange(of: .slices, in: list))
    try update(list) { $0.firstPlain = 1 }
    (slices[list], lastSteps) = (nil, nil)
  }
}
