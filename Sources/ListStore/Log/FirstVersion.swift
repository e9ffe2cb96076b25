import Dispatch
import ListChanges
import ListModel

/// A row with its table.
public struct TableRow: Sendable {
  let table: LogTable
  let row: StoredRow

  /// The number of bytes of its data.
  var byteCount: Int { row.values.reduce(0) { $0 + $1.byteCount } }
}

extension LogValue {
  var byteCount: Int { if case .bytes(let bytes) = self { bytes.count } else { 8 } }
}

/// The rows of a long first version, made a few at a time, so that memory holds the keys and hashes
/// of its items, not their texts. Other threads read the items, hash their ids, and make the next
/// rows.
public final class FirstVersion: @unchecked Sendable {
  // Unchecked because, after the initializer, only closures of the queue use `segment`, `source`,
  // `items`, `rest` and `end`, one after the other. One caller at a time asks for rows, and reads
  // `end` after the last ones.
  private static let byteCount = 1 << 20

  public let record: VersionRecord
  /// The row of the list before the version is finished.
  let unfinished: ListRow
  public var list: ListKey { unfinished.key }
  private let queue = DispatchQueue(label: "ListStore.FirstVersion", qos: .userInitiated)
  private let outline: ListOutline
  private let source: ItemPrefetcher
  private var segment: FirstSegment
  private var items: ArraySlice<Item> = []
  private var rest: ArraySlice<TableRow> = []
  private var ahead: BackgroundValue<Result<[TableRow], any Error>>?
  /// The rows by which the version is found; nil before the last other rows were made.
  private(set) var end: FirstEnd?

  /// - Throws: `StoreError.listFull`.
  init(_ record: VersionRecord, _ outline: ListOutline, of base: ListRow) throws {
    (self.record, self.outline) = (record, outline)
    segment = try FirstSegment(of: base, count: outline.count, hasStep: true)
    var row = base
    row.nextChange = segment.changes.upperBound
    unfinished = row
    source = ItemPrefetcher(outline, of: base.key, firstChange: segment.changes.lowerBound)
    makeNext()
  }

  private func makeNext() {
    ahead = BackgroundValue(on: queue) { Result { try self.madeRows() } }
  }

  /// Returns the next rows, about a megabyte; none after the last ones.
  func nextRows() throws -> [TableRow] {
    let rows = try ahead?.value.get() ?? []
    if rows.isEmpty { ahead = nil } else { makeNext() }
    return rows
  }

  /// Returns the next rows, about a megabyte; none after the last ones. Blocks no thread.
  public func rows() async throws -> [TableRow] {
    // The queue makes them before it comes to this.
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    return try nextRows()
  }

  private func madeRows() throws -> [TableRow] {
    while end == nil, !segment.isFull {
      if let item = items.popFirst() {
        _ = try segment.insert(item)
      } else if let next = source.next() {
        items = next[...]
      } else {
        let (last, rows) = try FirstEnd.made(
          of: &segment, record, outline.tree, source.ids)
        (end, rest) = (last, rows[...])
      }
    }
    let list = unfinished.key
    var rows = segment.takeBlocks().map { TableRow(table: .blocks, row: StoredRow($0, of: list)) }
    var byteCount = rows.reduce(0) { $0 + $1.byteCount }
    while byteCount < Self.byteCount, let row = rest.popFirst() {
      byteCount += row.byteCount
      rows.append(row)
    }
    return rows
  }
}

/// The end of a first version: what makes its rows visible.
struct FirstEnd {
  let base: ListRow
  let record: VersionRecord
  let changes: Range<Int64>
  /// Nil for an empty list.
  let segment: Segment?
  let idDigests: Int64

  /// Makes the rows of the ids, the parts of the head, and the checkpoint.
  ///
  /// - Parameter segment: the segment, in which all items are inserted already.
  static func made(
    of segment: inout FirstSegment, _ record: VersionRecord, _ tree: RootTree, _ ids: IDRows
  ) throws -> (end: FirstEnd, rows: [TableRow]) {
    let end = FirstEnd(
      base: segment.base, record: record, changes: segment.changes, segment: try segment.finish(),
      idDigests: ids.digests)
    let (list, items) = (segment.base.key, segment.items)
    var order = HeadOrder(items, tree)
    try order.rankParts()
    let isDue =
      record.version != Version(1)
      || CheckpointRule.isDue(changesSinceLast: items.count, itemCount: items.count)
    let checkpoint =
      isDue
      ? StoredRow.checkpoint(
        items, at: record.version, nextChange: end.changes.upperBound, of: list) : []
    let rows =
      ids.rows.map { TableRow(table: .idParts, row: $0) }
      + order.parts.compactMap { StoredRow($0, of: list) }
      .map { TableRow(table: .headParts, row: $0) }
      + checkpoint.map { TableRow(table: .checkpoints, row: $0) }
    return (end, rows)
  }
}

/// The segment that introduces the items of a list without versions.
struct FirstSegment {
  let base: ListRow
  /// The changes of the segment.
  let changes: Range<Int64>
  /// The key of the next item.
  private var next: Int64
  private let hasStep: Bool
  private var writer: SegmentWriter?

  /// - Parameters:
  ///   - base: the row of the list.
  ///   - count: the number of items.
  ///   - hasStep: whether the changes are the step of a version.
  /// - Throws: `StoreError.listFull`.
  init(of base: ListRow, count: Int, hasStep: Bool) throws {
    (self.base, self.hasStep, next) = (base, hasStep, base.nextChange)
    let (end, overflows) = next.addingReportingOverflow(Int64(count))
    guard !overflows, base.key.holds(end) else { throw StoreError.listFull }
    changes = next..<end
    if count > 0 {
      writer = try SegmentWriter(
        of: changes, starts: [next], firstStep: hasStep ? next : changes.upperBound)
    }
  }

  /// - Returns: the key of the item.
  mutating func insert(_ item: Item) throws -> ItemKey {
    let row = ChangeRow(introducing: next, at: Int(next - base.nextChange), of: base.key)
    try writer?.begin(next, id: Array(item.id.text.utf8))
    try writer?.add((nil, item.content.bytes))
    writer?.endItem()
    if hasStep { try writer?.add(row) }
    next += 1
    return row.item
  }

  /// Whether finished blocks should be stored before more items are inserted.
  var isFull: Bool { writer?.finishedByteCount ?? 0 >= Self.byteCount }
  private static let byteCount = 1 << 20

  /// Returns the blocks that are finished, without those that were returned before.
  mutating func takeBlocks() -> [StoredBlock] { writer?.takeFinished() ?? [] }

  /// - Returns: nil for an empty list.
  mutating func finish() throws -> Segment? { try writer?.finish() }

  /// The items that were inserted.
  var items: [StoredItem] {
    changes.map {
      StoredItem(
        id: ItemKey(base.key, sequence: $0), content: ContentKey(base.key, sequence: $0))
    }
  }
}

/// The items of an outline, piece by piece. Another thread is some pieces ahead, so that it has
/// sorted the ids when the last rows are stored.
private final class ItemPrefetcher {
  private static let itemsPerPiece = 4096
  private static let piecesAhead = 8

  private let queue = DispatchQueue(label: "ListStore.ItemPrefetcher", qos: .userInitiated)
  private let outline: ListOutline
  private let entries: Entries
  private var rest: ArraySlice<Range<Int>>
  private var ahead: ArraySlice<BackgroundValue<[Item]>> = []
  private var idRows: BackgroundValue<IDRows>?

  /// The entries of the ids, which the queue collects.
  private final class Entries: @unchecked Sendable {
    // Safe: only closures of the queue use it, one after the other.
    private var all: [IDEntry] = []
    private let list: ListKey
    private let firstChange: Int64

    init(_ count: Int, of list: ListKey, _ firstChange: Int64) {
      (self.list, self.firstChange) = (list, firstChange)
      all.reserveCapacity(count)
    }

    /// The last sorting merges what each call sorted.
    func add(_ items: [Item]) {
      let first = firstChange + Int64(all.count)
      all += zip(first..., items)
        .map { IDEntry($1.id, item: ItemKey(list, sequence: $0)) }.sorted()
    }

    func takeRows() -> IDRows {
      all.sort()
      defer { all = [] }
      return IDRows(ofFirst: all, list)
    }
  }

  init(_ outline: ListOutline, of list: ListKey, firstChange: Int64) {
    (self.outline, entries) = (outline, Entries(outline.count, of: list, firstChange))
    rest = outline.tree.ranges(ofAtLeast: Self.itemsPerPiece)[...]
    for _ in 0..<Self.piecesAhead { readNext() }
  }

  private func readNext() {
    let (outline, entries) = (outline, entries)
    if let range = rest.popFirst() {
      ahead.append(
        BackgroundValue(on: queue) {
          let items = outline.items(in: [range])
          entries.add(items)
          return items
        })
    } else if idRows == nil {
      idRows = BackgroundValue(on: queue) { entries.takeRows() }
    }
  }

  /// The next items; nil after the last.
  func next() -> [Item]? {
    let items = ahead.popFirst()?.value
    readNext()
    return items
  }

  /// The rows of all ids.
  ///
  /// - Precondition: The last items were asked for.
  var ids: IDRows {
    guard let idRows else { preconditionFailure("the ids are known after the last items") }
    return idRows.value
  }
}

extension RootTree {
  /// The ranges of consecutive groups of level 2, or of the only group, joined until each has at
  /// least a number of items. The last range may have fewer.
  fileprivate func ranges(ofAtLeast count: Int) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var end = 0
    for part in top.parts {
      let start = end
      end += part.itemCount
      if let last = ranges.last, last.count < count {
        ranges[ranges.count - 1] = last.lowerBound..<end
      } else {
        ranges.append(start..<end)
      }
    }
    return ranges
  }
}
