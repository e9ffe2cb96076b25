import ListChanges
import ListModel

/// The first version that a list keeps.
extension ListWriter {
  /// Makes version 1 of a list.
  ///
  /// - Parameters:
  ///   - list: a list without versions.
  ///   - record: version 1.
  ///   - outline: its items, at least one.
  /// - Throws: `StoreError.headMoved` when the list has versions; `StoreError.listFull`.
  /// - Complexity: O(n log n) for n items.
  public func start(_ list: ListKey, at record: VersionRecord, with outline: ListOutline) throws {
    let first = try FirstVersion(record, outline, of: emptyRow(of: list))
    while case let rows = try first.nextRows(), !rows.isEmpty { try store(rows) }
    try install(first)
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
    let base = try emptyRow(of: list)
    var segment = try FirstSegment(of: base, count: record.count, hasStep: false)
    // Don't reserve memory: a damaged bundle may have any count.
    var (entries, hasher, hashes) = ([IDEntry](), ItemHasher(), [TreeHash]())
    for _ in 0..<record.count {
      let item = try nextItem()
      entries.append(IDEntry(item.id, item: try segment.insert(item)))
      hashes.append(hasher.hash(item))
      if segment.isFull { try store(segment.takeBlocks(), of: list) }
    }
    let tree = RootTree(hashes: hashes)
    guard tree.root == record.root else { throw StoreError.wrongRoot }
    entries.sort()
    let (end, rows) = try FirstEnd.made(
      of: &segment, record, tree, IDRows(ofFirst: entries, list))
    try store(segment.takeBlocks(), of: list)
    try store(rows)
    try install(end)
    // Reads ids that it compares.
    try checkDistinct(entries, of: list)
  }

  private func emptyRow(of list: ListKey) throws -> ListRow {
    let row = try lockedRow(of: list)
    guard row.head == .zero else { throw StoreError.headMoved }
    return row
  }

  private func store(_ rows: [TableRow]) throws {
    for row in rows { try insert(row.row, into: row.table) }
  }

  /// Stores the rows by which a first version is found; its other rows must be stored.
  private func install(_ first: FirstVersion) throws {
    guard let end = first.end else { preconditionFailure("the last rows were made") }
    try install(end)
  }

  private func install(_ first: FirstEnd) throws {
    let (list, record) = (first.base.key, first.record)
    if let segment = first.segment { try replace([], with: segment, of: list) }
    let opened = opened(list)
    (opened.headParts, opened.newestCheckpoint) = (nil, nil)
    try update(list) { row in
      (row.head, row.oldest) = (record.version, record.version)
      if record.version != Version(1) { row.chainBefore = record.header.previous }
      (row.nextChange, row.idDigests) = (first.changes.upperBound, first.idDigests)
    }
    changed.insert(list.rawValue)
    try insert(record, into: list, firstChange: first.changes.lowerBound)
  }
}

/// A long first version is stored in several transactions, so that other writers need not wait.
/// Nobody sees the list before the last one. Until then its row has a name that the directory
/// lacks, and the number that follows its changes.
extension ListWriter {
  /// Begins a list with a long first version.
  ///
  /// - Parameters:
  ///   - name: the name that the list gets.
  ///   - record: version 1.
  ///   - outline: its items, at least one.
  /// - Throws: `StoreError.listFull`.
  public func begin(
    _ name: ListName, at record: VersionRecord, with outline: ListOutline
  ) throws -> FirstVersion {
    precondition(outline.count > 0, "a list without changes is not unfinished")
    let base = ListRow(key: try newListKey(), name: name)
    let first = try FirstVersion(record, outline, of: base)
    try insert(StoredRow(of: .lists, first.unfinished.values), into: .lists)
    return first
  }

  /// Stores some rows of a first version.
  ///
  /// - Throws: `StoreError.headMoved` if another writer has discarded the version;
  ///   `StoreError.diskFull` while there is still room for discarding it.
  public func store(_ rows: [TableRow], of first: FirstVersion) throws {
    guard try lockedRow(of: first.unfinished.key) == first.unfinished else {
      throw StoreError.headMoved
    }
    try checkRoom(
      for: rows.reduce(0) { $0 + $1.byteCount }, leaving: Self.byteCountToDelete)
    try store(rows)
  }

  /// Makes a list visible, with its first version. All rows of the version must be stored.
  ///
  /// - Precondition: There is no list of its name.
  /// - Throws: `StoreError.headMoved` if another writer has discarded the version.
  public func finish(_ first: FirstVersion) throws -> ListRecord {
    let base = first.unfinished
    guard try lockedRow(of: base.key) == base, let name = base.name else {
      throw StoreError.headMoved
    }
    try insert(StoredRow(of: .names, [.text(name.text), LogValue(base.key)]), into: .names)
    try install(first)
    return try list(base.key, named: name)
  }

  /// Discards a list with an unfinished first version, if it is still there.
  ///
  /// - Complexity: O(r) rows deleted for its r rows.
  public func discard(_ list: ListKey) throws {
    guard try lockedRow(of: list).isUnfinished else { return }
    try empty(list)
  }
}

extension ListReader {
  /// Returns the lists whose first version is unfinished. A process that was killed has left such a
  /// list, or another writer is storing it, and will notice if it is discarded.
  ///
  /// - Complexity: O(l) rows read for all l lists that the store has or had.
  public func unfinishedLists() throws -> [ListKey] {
    try rows(RowRange(of: .lists), read: ListRow.init).filter(\.isUnfinished).map(\.key)
  }
}
