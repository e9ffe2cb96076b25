import ListChanges

/// The rules for the places of a batch: they exist, none is used twice, and no item operation lies
/// in a section that is replaced as a whole.
struct BatchRules {
  let batch: CollectionViewBatch
  /// The number of items in each section before and after the batch.
  let before: [Int]
  let after: [Int]

  private struct Use {
    let operation: BatchError.Operation
    let place: BatchError.Place
  }

  func check() throws(BatchError) {
    for use in oldUses where !exists(use.place, in: before) { throw outOfRange(use) }
    for use in newUses where !exists(use.place, in: after) { throw outOfRange(use) }
    try checkUsedOnce(oldUses)
    try checkUsedOnce(newUses)
    try checkSections(of: oldUses, replaced: oldSections)
    try checkSections(of: newUses, replaced: newSections)
  }

  private var oldSections: [Int: BatchError.Operation] {
    var sections: [Int: BatchError.Operation] = [:]
    for section in batch.deletedSections { sections[section] = .delete }
    for section in batch.reloadedSections { sections[section] = .reload }
    return sections
  }

  /// Only inserted ones; ``BatchLayout`` finds the places of reloaded sections after the batch.
  private var newSections: [Int: BatchError.Operation] {
    Dictionary(uniqueKeysWithValues: batch.insertedSections.map { ($0, .insert) })
  }

  private var oldUses: [Use] {
    sections(batch.deletedSections, .delete)
      + sections(batch.movedSections.map(\.from), .moveFrom)
      + sections(batch.reloadedSections, .reload)
      + items(batch.deleted, .delete) + items(batch.moved.map(\.from), .moveFrom)
      + items(batch.reloaded, .reload)
  }

  private var newUses: [Use] {
    sections(batch.insertedSections, .insert) + sections(batch.movedSections.map(\.to), .moveTo)
      + items(batch.inserted, .insert) + items(batch.moved.map(\.to), .moveTo)
  }

  private func sections(_ indexes: [Int], _ operation: BatchError.Operation) -> [Use] {
    indexes.map { Use(operation: operation, place: .section($0)) }
  }

  private func items(
    _ paths: [CollectionViewBatch.Path], _ operation: BatchError.Operation
  ) -> [Use] {
    paths.map { Use(operation: operation, place: .item($0)) }
  }

  private func outOfRange(_ use: Use) -> BatchError { .outOfRange(use.operation, use.place) }

  private func exists(_ place: BatchError.Place, in counts: [Int]) -> Bool {
    switch place {
    case .section(let section): counts.indices.contains(section)
    case .item(let path):
      counts.indices.contains(path.section) && 0..<counts[path.section] ~= path.item
    }
  }

  private func checkUsedOnce(_ uses: [Use]) throws(BatchError) {
    var first: [BatchError.Place: BatchError.Operation] = [:]
    for use in uses {
      guard let other = first.updateValue(use.operation, forKey: use.place) else { continue }
      // Reloads are last among the uses, so only the later use can be a reload.
      throw use.operation == .reload
        ? .reloadMeets(other, use.place) : .usedTwice(use.place, other, use.operation)
    }
  }

  private func checkSections(
    of uses: [Use], replaced: [Int: BatchError.Operation]
  ) throws(BatchError) {
    for use in uses {
      guard case .item(let path) = use.place, let operation = replaced[path.section] else {
        continue
      }
      throw .insideSection(that: operation, use.operation, use.place)
    }
  }
}
