import Dispatch
import ListChanges
import ListModel

/// The first version that a list keeps. Its rows are stored while its items are read, so memory
/// holds their keys and hashes, not their texts.
extension ListWriter {
  /// Makes version 1 of a list. Another thread reads the items, and hashes their ids.
  ///
  /// - Parameters:
  ///   - list: a list without versions.
  ///   - record: version 1.
  ///   - outline: its items, at least one.
  /// - Throws: `StoreError.headMoved` when the list has versions; `StoreError.listFull`.
  /// - Complexity: O(n log n) for n items.
  public func start(_ list: ListKey, at record: VersionRecord, with outline: ListOutline) throws {
    var segment = try FirstSegment(of: list, count: outline.count, hasStep: true, self)
    let source = ItemsAhead(outline, of: list, firstChange: segment.changes.lowerBound)
    while let items = source.next() {
      for item in items { _ = try segment.insert(item) }
    }
    try finishStart(&segment, record, outline.tree, source.ids)
  }

  /// Makes a version the oldest one of an empty list, as after pruning: earlier steps are unknown.
  /// Writes its checkpoint.
  ///
  /// - Parameters:
  ///   - list: a list without versions.
  ///   - record: the version, 2 or later.
  ///   - nextItem: returns the items in order; called once for each item that the record counts.
  /// - Throws: `StoreError.headMoved` when the list has versions; `StoreError.wrongRoot` when the
  ///   items do not have the record's root; `StoreError.duplicateItem`; `StoreError.listFull`; what
  ///   the closure throws.
  /// - Complexity: O(n log n) for n items.
  public func start(_ list: ListKey, at record: VersionRecord, nextItem: () throws -> Item) throws {
    precondition(record.version > Version(1), "version 1 has a step of its own")
    var segment = try FirstSegment(of: list, count: record.count, hasStep: false, self)
    // Don't reserve memory: a damaged bundle may have any count.
    var (entries, hasher, hashes) = ([IDEntry](), ItemHasher(), [TreeHash]())
    for _ in 0..<record.count {
      let item = try nextItem()
      entries.append(IDEntry(item.id, item: try segment.insert(item)))
      hashes.append(hasher.hash(item))
    }
    let tree = RootTree(hashes: hashes)
    guard tree.root == record.root else { throw StoreError.wrongRoot }
    entries.sort()
    try finishStart(&segment, record, tree, IDRows(ofFirst: entries, list))
    // Reads ids that it compares.
    try checkDistinct(entries, of: list)
  }

  private func finishStart(
    _ segment: inout FirstSegment, _ record: VersionRecord, _ tree: RootTree, _ ids: IDRows
  ) throws {
    let (list, changes) = (segment.base.key, segment.changes)
    try segment.finish()
    let isFirst = record.version == Version(1)
    for row in ids.rows { try insert(row, into: .idParts) }
    try update(list) { row in
      (row.head, row.oldest) = (record.version, record.version)
      if !isFirst { row.chainBefore = record.header.previous }
      (row.nextChange, row.idDigests) = (changes.upperBound, ids.digests)
    }
    changed.insert(list.rawValue)
    try insert(record, into: list, firstChange: changes.lowerBound)
    let items = segment.items
    var order = HeadOrder(items, tree)
    try order.rankParts()
    try store(order.parts, dropping: [], of: list)
    if !isFirst
      || CheckpointRule.isDue(changesSinceLast: items.count, itemCount: items.count)
    {
      try writeCheckpoint(items, at: record.version, of: list)
    }
  }
}

/// The segment that introduces the items of a list without versions. Its blocks are stored while it
/// is made.
private struct FirstSegment {
  let base: ListRow
  /// The changes of the segment.
  let changes: Range<Int64>
  /// The key of the next item.
  private var next: Int64
  private let hasStep: Bool
  private var writer: SegmentWriter?
  private let store: ListWriter

  /// - Parameters:
  ///   - count: the number of items.
  ///   - hasStep: whether the changes are the step of a version.
  /// - Throws: `StoreError.headMoved` when the list has versions; `StoreError.listFull`.
  init(of list: ListKey, count: Int, hasStep: Bool, _ store: ListWriter) throws {
    base = try store.lockedRow(of: list)
    guard base.head == .zero else { throw StoreError.headMoved }
    next = base.nextChange
    let (end, overflows) = next.addingReportingOverflow(Int64(count))
    guard !overflows, list.holds(end) else { throw StoreError.listFull }
    changes = next..<end
    (self.hasStep, self.store) = (hasStep, store)
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
    if let count = writer?.finishedByteCount, count >= Self.storedByteCount { try storeFinished() }
    return row.item
  }

  private static let storedByteCount = 1 << 20

  private mutating func storeFinished() throws {
    if let blocks = writer?.takeFinished() { try store.store(blocks, of: base.key) }
  }

  mutating func finish() throws {
    guard let segment = try writer?.finish() else { return }
    try storeFinished()
    try store.replace([], with: segment, of: base.key)
  }

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
private final class ItemsAhead {
  private static let itemsPerPiece = 4096
  private static let piecesAhead = 8

  private let queue = DispatchQueue(label: "ListStore.ItemsAhead", qos: .userInitiated)
  private let outline: ListOutline
  private let entries: Entries
  private var rest: ArraySlice<Range<Int>>
  private var ahead: ArraySlice<Meanwhile<[Item]>> = []
  private var idRows: Meanwhile<IDRows>?

  /// What the queue collects.
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
        Meanwhile(on: queue) {
          let items = outline.items(in: [range])
          entries.add(items)
          return items
        })
    } else if idRows == nil {
      idRows = Meanwhile(on: queue) { entries.takeRows() }
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
  /// The items of consecutive groups of level 2, or of the only group, of at least a number of
  /// items as far as there are so many.
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
