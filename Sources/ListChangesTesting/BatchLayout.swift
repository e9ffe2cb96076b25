import ListChanges

/// The origin of each cell after a batch.
///
/// Inserted and moved sections and items have their indexes; the others fill the places between
/// them in their order.
struct BatchLayout {
  /// By section and item after the batch: the place of the cell before; nil for a new cell.
  private(set) var cells: [[ItemPath?]] = []

  /// - Parameters:
  ///   - batch: a batch that keeps the ``BatchRules``.
  ///   - before: the number of items in each section before the batch.
  ///   - after: the number of items in each section of the data source.
  init(batch: CollectionViewBatch, before: [Int], after: [Int]) throws(BatchError) {
    let origins = try Self.sectionOrigins(batch, before: before.count, after: after.count)
    let operations = ItemOperations(batch)
    for (section, count) in after.enumerated() {
      guard let origin = origins[section], !batch.reloadedSections.contains(origin) else {
        try Self.refuseItems(of: operations, inReloadedSection: section)
        cells.append(Array(repeating: nil, count: count))
        continue
      }
      let kept = (0..<before[origin]).map { ItemPath(section: origin, item: $0) }
        .filter { !operations.leaving.contains($0) }
        .map { operations.reloaded.contains($0) ? nil : $0 }
      let placed = operations.placed[section] ?? [:]
      guard kept.count + placed.count == count else {
        throw .itemCount(section: section, expected: kept.count + placed.count, found: count)
      }
      cells.append(Self.fill(count, placed: placed, kept: kept))
    }
  }

  private static func sectionOrigins(
    _ batch: CollectionViewBatch, before: Int, after: Int
  ) throws(BatchError) -> [Int?] {
    let expected = before - batch.deletedSections.count + batch.insertedSections.count
    guard after == expected else { throw .sectionCount(expected: expected, found: after) }
    let leaving = Set(batch.deletedSections + batch.movedSections.map(\.from))
    var placed: [Int: Int?] = [:]
    for section in batch.insertedSections { placed[section] = .some(nil) }
    for move in batch.movedSections { placed[move.to] = move.from }
    return fill(after, placed: placed, kept: (0..<before).filter { !leaving.contains($0) })
  }

  private static func refuseItems(
    of operations: ItemOperations, inReloadedSection section: Int
  ) throws(BatchError) {
    guard let placed = operations.placed[section], let item = placed.keys.min() else { return }
    let operation: BatchError.Operation = placed[item] == .some(nil) ? .insert : .moveTo
    throw .insideSection(that: .reload, operation, .item(ItemPath(section: section, item: item)))
  }

  private static func fill<Origin>(
    _ count: Int, placed: [Int: Origin?], kept: [Origin?]
  ) -> [Origin?] {
    var kept = kept.makeIterator()
    return (0..<count).map { placed[$0] ?? kept.next() ?? nil }
  }
}

/// The item operations of a batch by place.
private struct ItemOperations {
  /// Deleted or moved away, before the batch.
  let leaving: Set<ItemPath>
  let reloaded: Set<ItemPath>
  /// By section and item after the batch: the source of a moved cell; nil for an inserted one.
  private(set) var placed: [Int: [Int: ItemPath?]] = [:]

  init(_ batch: CollectionViewBatch) {
    leaving = Set(batch.deleted + batch.moved.map(\.from))
    reloaded = Set(batch.reloaded)
    for path in batch.inserted { placed[path.section, default: [:]][path.item] = .some(nil) }
    for move in batch.moved { placed[move.to.section, default: [:]][move.to.item] = move.from }
  }
}
