import ListModel

/// Deletes the rows of pruned versions.
///
/// The *floor* is the new oldest version. Texts that changes up to the floor wrote are deleted
/// unless the floor's checkpoint or a later change references them, as an item (for its id) or as a
/// content. No other references exist: the head and later checkpoints contain only items that were
/// present at the floor or were written after it. Every reference to a content also references its
/// item.
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
    try pruneSegments(to: floor, items, before: end, list)
    try fillIDs(of: list)
    opened(list).versions = [:]
    let below = Int64(floor.number) - 1
    for table in [LogTable.versions, .checkpoints] {
      try delete(RowRange(of: table, in: list, through: below))
    }
    for kept in try keptRanges(of: list) where kept.from < floor || kept.to < floor {
      try delete(Self.keptChanges(from: kept.from, to: kept.to, of: list))
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

  /// Writes the list's changes again, without texts that nothing references.
  private func pruneSegments(
    to floor: Version, _ items: [StoredItem], before end: Int64, _ list: ListKey
  ) throws {
    let row = try row(of: list)
    let kept = try keptTexts(of: items, before: end, list)
    guard let name = row.name else { throw StoreError.corrupt(reason: "a list is missing") }
    let record = ListRecord(
      key: list, name: name, head: row.head, oldest: floor, idRule: row.idRule,
      limits: row.limits)
    var isPartial = true
    while isPartial, var merge = try pruning(of: record, keeping: kept) {
      while case let blocks = try merge.nextBlocks(self), !blocks.isEmpty {
        try store(blocks, of: list)
      }
      try install(merge, whileOldest: row.oldest)
      try delete(merge.replacedBlocks, of: list)
      isPartial = merge.isPartial
    }
  }
}
