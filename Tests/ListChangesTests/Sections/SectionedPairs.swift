import ListChanges
import TestSupport

typealias PairSection = ListSection<Pair, Pair>
typealias PairChanges = SectionedChanges<Pair, Pair>

/// A list of sections as text: `"a: 1 2, b: 3=5"`, `b=1` for a header with a content.
func sections(_ text: String) -> [PairSection] {
  func pair(_ text: Substring) -> Pair {
    let parts = text.split(separator: "=")
    let id = Int(parts[0]) ?? Int(parts[0].unicodeScalars.reduce(0) { $0 + $1.value })
    return Pair(id: id, value: parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
  }
  return text.split(separator: ",").map { section in
    let parts = section.split(separator: ":", omittingEmptySubsequences: false)
    return ListSection(
      pair(parts[0].split(separator: " ").joined()[...]),
      items: parts[1].split(separator: " ").map(pair))
  }
}

/// Every way to split a list into `count` parts.
private func cuts(_ list: [Pair], into count: Int) -> [[[Pair]]] {
  if count == 0 { return list.isEmpty ? [[]] : [] }
  return (0...list.count).flatMap { end in
    cuts(Array(list[end...]), into: count - 1).map { [Array(list[..<end])] + $0 }
  }
}

/// Every list of up to two sections out of three, with items out of three, each id once.
func allSectionedLists() -> [[PairSection]] {
  let headers = allLists(over: 3).filter { $0.count <= 2 }
  return headers.flatMap { sectioned(allLists(over: 3), in: $0) }
}

/// The same up to renaming: ids are numbered in order of appearance.
func sectionedListsUpToNames() -> [[PairSection]] {
  (0...2).flatMap { sections in
    sectioned(
      (0...3).map { (0..<$0).map { Pair(id: $0, value: 0) } },
      in: (0..<sections).map { Pair(id: $0, value: 0) })
  }
}

private func sectioned(_ items: [[Pair]], in headers: [Pair]) -> [[PairSection]] {
  items.flatMap { cuts($0, into: headers.count) }.map {
    zip(headers, $0).map { .init($0, items: $1) }
  }
}

extension SeededRandom {
  /// Items and headers as in ``list(limit:)``, the items split at random places.
  mutating func sections(limit: Int) -> [PairSection] {
    let headers = list(limit: max(2, limit / 3))
    return headers.isEmpty ? [] : cut(list(limit: limit), under: headers)
  }

  /// The lists after a few edits of headers, of all items as one list, and of the ends of sections.
  mutating func edited(_ sections: [PairSection], limit: Int) -> [PairSection] {
    let headers = edited(sections.map(\.header), limit: max(2, limit / 3))
    guard !headers.isEmpty else { return [] }
    if Int.random(in: 0..<3, using: &self) == 0 {
      return cut(edited(sections.flatMap(\.items), limit: limit), under: headers)
    }
    // Items stay in their sections if those still exist, and some move.
    let old = Dictionary(uniqueKeysWithValues: sections.map { ($0.header.id, $0.items) })
    var lists = headers.map { old[$0.id] ?? [] }
    let lost = sections.filter { gone in !headers.contains { $0.id == gone.header.id } }
    var wandering = lost.flatMap(\.items).filter { _ in Bool.random(using: &self) }
    for index in lists.indices where !lists[index].isEmpty && Bool.random(using: &self) {
      wandering.append(lists[index].remove(at: .random(in: lists[index].indices, using: &self)))
    }
    let free = (0..<limit * 2).filter { id in
      !lists.joined().contains { $0.id == id } && !wandering.contains { $0.id == id }
    }
    wandering += free.prefix(2).map { Pair(id: $0, value: 0) }
    for item in wandering where Int.random(in: 0..<5, using: &self) > 0 {
      let index = Int.random(in: lists.indices, using: &self)
      let value = Int.random(in: 0..<3, using: &self) == 0 ? item.value + 1 : item.value
      lists[index].insert(
        Pair(id: item.id, value: value), at: .random(in: 0...lists[index].count, using: &self))
    }
    return zip(headers, lists).map { .init($0, items: $1) }
  }

  private mutating func cut(_ items: [Pair], under headers: [Pair]) -> [PairSection] {
    let ends = (1..<headers.count).map { _ in Int.random(in: 0...items.count, using: &self) }
    let bounds = [0] + ends.sorted() + [items.count]
    return headers.indices.map {
      .init(headers[$0], items: Array(items[bounds[$0]..<bounds[$0 + 1]]))
    }
  }
}
