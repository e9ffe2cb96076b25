import ListChanges

/// What a view with sections is told in one batch. Deletes, reloads and where a move starts are
/// places before the batch; inserts and where a move ends are places after it.
struct SectionBatch {
  var deletedSections: [Int] = []
  var insertedSections: [Int] = []
  var movedSections: [(from: Int, to: Int)] = []
  var reloadedSections: [Int] = []
  var deletedItems: [ItemPath] = []
  var insertedItems: [ItemPath] = []
  var movedItems: [(from: ItemPath, to: ItemPath)] = []
  var reloadedItems: [ItemPath] = []
}

struct SectionViolation: Error, Equatable { let rule: String }

/// A view with sections: what it shows, and the rules that its batches keep. A header or cell shows
/// what it was made for until it is reloaded.
struct SectionSimulator<Header: Equatable & Identifiable, Item: Equatable & Identifiable> {
  typealias Section = ListSection<Header, Item>

  private(set) var shown: [Section]

  init(showing data: [Section]) { shown = data }

  mutating func perform(_ batch: SectionBatch, data: [Section]) throws {
    try SectionRules(batch: batch, old: shown.map(\.items.count), new: data.map(\.items.count))
      .check()
    var next = try sections(after: batch, data: data)
    try placeItems(of: batch, in: &next, data: data)
    shown = next
    guard shown.map(\.header.id) == data.map(\.header.id),
      shown.map({ $0.items.map(\.id) }) == data.map({ $0.items.map(\.id) })
    else { throw SectionViolation(rule: "the view shows other cells than the data has") }
  }

  /// The sections in their new places with the items that do not leave them; those of inserted and
  /// reloaded sections are made anew.
  private func sections(after batch: SectionBatch, data: [Section]) throws -> [Section] {
    var rest: [Section?] = shown
    let leaving = Set(batch.deletedItems + batch.movedItems.map(\.from))
    for (section, items) in zip(shown.indices, shown.map(\.items)) {
      let staying = items.indices.filter { !leaving.contains(.init(section: section, item: $0)) }
      rest[section]?.items = staying.map { items[$0] }
    }
    var placed: [Int: Section] = [:]
    for index in batch.insertedSections { placed[index] = data[index] }
    for move in batch.movedSections { placed[move.to] = rest[move.from] }
    for index in batch.deletedSections + batch.movedSections.map(\.from) { rest[index] = nil }
    // A reload changes no places of its own; where it meets other changes, the rest has shifted.
    let reloaded = Set(batch.reloadedSections.map { shown[$0].header.id })
    var kept = rest.compactMap(\.self).makeIterator()
    return data.indices.compactMap { index in
      let section = placed[index] ?? kept.next()
      return section.map { reloaded.contains($0.header.id) ? data[index] : $0 }
    }
  }

  private func placeItems(
    of batch: SectionBatch, in sections: inout [Section], data: [Section]
  ) throws {
    var placed = batch.insertedItems.map { ($0, data[$0.section].items[$0.item]) }
    placed += batch.movedItems.map { ($0.to, shown[$0.from.section].items[$0.from.item]) }
    for (path, item) in placed.sorted(by: { $0.0 < $1.0 }) {
      guard path.item <= sections[path.section].items.count else {
        throw SectionViolation(rule: "an item is placed behind the end")
      }
      sections[path.section].items.insert(item, at: path.item)
    }
    let reloaded = Set(batch.reloadedItems.map { shown[$0.section].items[$0.item].id })
    for section in sections.indices {
      for (index, item) in sections[section].items.enumerated() where reloaded.contains(item.id) {
        sections[section].items[index] = data[section].items[index]
      }
    }
  }
}

/// The rules that a batch breaks or keeps, whatever the items are.
private struct SectionRules {
  let batch: SectionBatch
  /// The numbers of items of each section, before and after.
  let old: [Int]
  let new: [Int]

  func check() throws {
    let oldSide =
      batch.deletedSections + batch.reloadedSections + batch.movedSections.map(\.from)
    let newSide = batch.insertedSections + batch.movedSections.map(\.to)
    try expect(isOnce(oldSide), "an old section is used twice")
    try expect(isOnce(newSide), "a new section is used twice")
    try expect(oldSide.allSatisfy(old.indices.contains), "an old section is out of range")
    try expect(newSide.allSatisfy(new.indices.contains), "a new section is out of range")
    try expect(
      old.count - batch.deletedSections.count + batch.insertedSections.count == new.count,
      "the sections do not add up")
    try checkItems(oldSections: Set(oldSide), newSections: Set(newSide))
    try checkCounts(oldSections: Set(oldSide), newSections: Set(newSide))
  }

  private func checkItems(oldSections: Set<Int>, newSections: Set<Int>) throws {
    let oldSide = batch.deletedItems + batch.reloadedItems + batch.movedItems.map(\.from)
    let newSide = batch.insertedItems + batch.movedItems.map(\.to)
    try expect(isOnce(oldSide), "an old item is used twice")
    try expect(isOnce(newSide), "a new item is used twice")
    try expect(oldSide.allSatisfy { contains($0, old) }, "an old item is out of range")
    try expect(newSide.allSatisfy { contains($0, new) }, "a new item is out of range")
    try expect(
      !oldSide.contains { oldSections.contains($0.section) },
      "an old item is in a section that is deleted, moved or reloaded")
    try expect(
      !newSide.contains { newSections.contains($0.section) },
      "a new item is in a section that is inserted or moved")
  }

  /// The sections that stay, pairwise in order, and those that move.
  private func checkCounts(oldSections: Set<Int>, newSections: Set<Int>) throws {
    let leaving = oldSections.subtracting(batch.reloadedSections)
    let kept = zip(
      old.indices.filter { !leaving.contains($0) }, new.indices.filter { !newSections.contains($0) }
    )
    for (from, to) in kept + batch.movedSections.map({ ($0.from, $0.to) }) {
      let gone = (batch.deletedItems + batch.movedItems.map(\.from)).count { $0.section == from }
      let come = (batch.insertedItems + batch.movedItems.map(\.to)).count { $0.section == to }
      let isReloaded = batch.reloadedSections.contains(from)
      try expect(
        isReloaded || old[from] - gone + come == new[to], "the items of a section do not add up")
    }
  }

  private func contains(_ path: ItemPath, _ counts: [Int]) -> Bool {
    counts.indices.contains(path.section) && (0..<counts[path.section]).contains(path.item)
  }

  private func isOnce(_ places: [some Hashable]) -> Bool { Set(places).count == places.count }

  private func expect(_ condition: Bool, _ rule: String) throws {
    if !condition { throw SectionViolation(rule: rule) }
  }
}
