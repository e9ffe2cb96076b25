/// Where each cell after a batch comes from.
///
/// What is inserted or moved in stands at its index; what stays fills the places between in its
/// order, sections as well as items.
struct BatchLayout {
  typealias Path = CollectionViewBatch.Path

  /// For each section and item after the batch the place of its cell before, or nil for a cell that
  /// asks the data source.
  private(set) var cells: [[Path?]] = []

  /// - Parameters:
  ///   - batch: has passed ``BatchCheck``.
  ///   - before: the number of items in each section before the batch.
  ///   - after: the number in each section that the data source holds.
  init(batch: CollectionViewBatch, before: [Int], after: [Int]) throws(BatchError) {
    let origins = try Self.sectionOrigins(batch, before: before.count, after: after.count)
    let parts = BatchParts(batch)
    for (section, count) in after.enumerated() {
      guard let origin = origins[section], !batch.reloadedSections.contains(origin) else {
        try Self.refuseItems(of: parts, inReloadedSection: section)
        cells.append(Array(repeating: nil, count: count))
        continue
      }
      let kept = (0..<before[origin]).map { Path(section: origin, item: $0) }
        .filter { !parts.leaving.contains($0) }
        .map { parts.reloaded.contains($0) ? nil : $0 }
      let placed = parts.placed[section] ?? [:]
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
    of parts: BatchParts, inReloadedSection section: Int
  ) throws(BatchError) {
    guard let placed = parts.placed[section], let item = placed.keys.min() else { return }
    let operation: BatchError.Operation = placed[item] == .some(nil) ? .insert : .moveTo
    throw .insideSection(
      that: .reload, operation, .item(Path(section: section, item: item)))
  }

  private static func fill<Origin>(
    _ count: Int, placed: [Int: Origin?], kept: [Origin?]
  ) -> [Origin?] {
    var kept = kept.makeIterator()
    return (0..<count).map { placed[$0] ?? kept.next() ?? nil }
  }
}

/// A batch's item operations, to be looked up by place.
private struct BatchParts {
  typealias Path = CollectionViewBatch.Path

  /// Deleted or moved away, before the batch.
  let leaving: Set<Path>
  let reloaded: Set<Path>
  /// By section and item after the batch: where a moved cell comes from, nil for an inserted one.
  private(set) var placed: [Int: [Int: Path?]] = [:]

  init(_ batch: CollectionViewBatch) {
    leaving = Set(batch.deleted + batch.moved.map(\.from))
    reloaded = Set(batch.reloaded)
    for path in batch.inserted { placed[path.section, default: [:]][path.item] = .some(nil) }
    for move in batch.moved { placed[move.to.section, default: [:]][move.to.item] = move.from }
  }
}
