import ListModel

/// Deletes the rows of pruned versions.
///
/// The *floor* is the new oldest version. Rows up to the floor ("old rows") are deleted unless the
/// floor's checkpoint or a later row references them, as an item (for its id) or as a content. No
/// other references exist: the head and later checkpoints contain only items that were present at
/// the floor or were written after it. Every reference to a content also references its item.
extension ListWriter {
  /// Removes the versions before a new oldest one, and records the pruning. Keeps rows that kept
  /// versions reference.
  ///
  /// - Precondition: The new oldest version is one that the list keeps, and has a checkpoint.
  /// - Throws: `StoreError.corrupt` when the checkpoint is missing or incomplete.
  /// - Complexity: O(r + n log n) for the r rows of the list's log and n items at the new oldest
  ///   version.
  public func prune(_ record: PruneRecord, of list: ListKey) throws {
    let floor = record.newOldest
    let items = try checkpoint(at: floor, of: list)
    let before = try versions(floor...floor, of: list).first?.header.previous
    let end = try firstChange(of: floor.next, in: list)
    if try row(of: list).firstPlain > 1 {
      try prunePacked(to: floor, items, before: end, list)
    } else {
      try removeOldRows(before: end, except: references(from: items, before: end, of: list), list)
    }
    try fillIDs(of: list)
    let below = Int64(floor.number) - 1
    for table in [LogTable.versions, .checkpoints] {
      try engineWriter.delete(RowRange(of: table, in: list, through: below))
    }
    for kept in try keptRanges(of: list) where kept.from < floor || kept.to < floor {
      try engineWriter.delete(Self.keptChanges(from: kept.from, to: kept.to, of: list))
    }
    try update(list) { ($0.oldest, $0.chainBefore) = (floor, before) }
    changed.insert(list.rawValue)
    try insert(
      StoredRow(
        of: .prunes,
        [
          LogValue(list), LogValue(record.newOldest), LogValue(record.oldOldest),
          LogValue(record.prunedAt), LogValue(record.author), .text(record.rule),
          .bytes(record.chain.bytes),
        ]), into: .prunes)
  }

  /// The numbers of referenced old rows: as items, and as contents.
  private typealias References = (items: Set<Int64>, contents: Set<Int64>)

  private func references(
    from items: [StoredItem], before end: Int64, of list: ListKey
  ) throws -> References {
    var named = Set(items.map(\.id.sequence))
    var contents = Set(items.map(\.content.sequence))
    try visit(RowRange(of: .changes, in: list, from: end)) { row in
      if let item = row.optionalInteger(3), item < end { named.insert(item) }
      for column in 6...7 {
        if let content = row.optionalInteger(column), content < end { contents.insert(content) }
      }
      return true
    }
    return (named, contents)
  }

  /// Deletes the old rows without references. Clears the unused columns of the others: the content
  /// if only the id is referenced, and the old content, whose row may be deleted.
  private func removeOldRows(
    before end: Int64, except references: References, _ list: ListKey
  ) throws {
    // Delete a limited number of rows at a time, so that few are in memory.
    var start: Int64 = 1
    while start < end {
      var (kept, count): ([StoredRow], Int) = ([], 0)
      var last = end - 1
      let range = RowRange(of: .changes, in: list, from: start, through: end - 1)
      try visit(range.limited(to: Self.prunedRowCount)) { row in
        let number = row.integer(1)
        count += 1
        if count == Self.prunedRowCount { last = number }
        let isContent = references.contents.contains(number)
        guard isContent || references.items.contains(number) else { return true }
        var values = Array(StoredRow(row).values.prefix(LogTable.changes.layout.digestColumn))
        values[6] = .null
        if !isContent { values[9] = .null }
        kept.append(StoredRow(of: .changes, values))
        return true
      }
      try engineWriter.delete(RowRange(of: .changes, in: list, from: start, through: last))
      for row in kept { try insert(row, into: .changes) }
      start = last + 1
    }
  }

  private static let prunedRowCount = 4096

  /// Packs the list again, without texts that nothing references.
  private func prunePacked(
    to floor: Version, _ items: [StoredItem], before end: Int64, _ list: ListKey
  ) throws {
    let row = try row(of: list)
    let kept = try keptTexts(of: items, before: end, list)
    guard let name = row.name else { throw StoreError.corrupt(reason: "a list is missing") }
    let record = ListRecord(
      key: list, name: name, head: row.head, oldest: floor, idRule: row.idRule,
      removalLimit: row.removalLimit)
    var isPartial = true
    while isPartial, var packing = try packing(of: record, isWhole: true, pruned: kept) {
      while case let blocks = try packing.nextBlocks(self), !blocks.isEmpty {
        try store(blocks, of: packing)
      }
      try install(packing, whileOldest: row.oldest)
      isPartial = packing.isPartial
    }
    while try deletePacked(of: list) {}
  }
}
