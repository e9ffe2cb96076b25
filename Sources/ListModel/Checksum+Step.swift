import ListChanges

extension Checksum {
  /// The checksum of the list that a step leads to, from this one of the list it starts from.
  ///
  /// A term depends on an item and the id before it, so that of the items that are in both lists
  /// only those whose neighbour is another, or whose content is, have another term.
  ///
  /// - Parameter oldItems: the items at some indexes of the old list, in their order; asked for
  ///   O(d) items in all, for a limited number at once.
  /// - Complexity: O(d log d) for d changes, and a SHA-256 for each term that goes or comes.
  package func advanced(
    by step: ChangeSet<Item>, oldItems: (_ indexes: [Int]) throws -> [Item]
  ) rethrows -> Checksum {
    var checksum = self
    let terms = ChangedTerm.all(of: step)
    for start in stride(from: 0, to: terms.count, by: Self.termsAtOnce) {
      let part = terms[start..<min(start + Self.termsAtOnce, terms.count)]
      let indexes = Set(part.flatMap(\.oldIndexes)).sorted()
      let items = Dictionary(uniqueKeysWithValues: zip(indexes, try oldItems(indexes)))
      for term in part {
        let value = Self.term(of: term.item.item(items), after: term.before?.item(items).id)
        if term.isNew { checksum.add(value) } else { checksum.subtract(value) }
      }
    }
    return checksum
  }

  /// The same, where looking an item up costs nothing.
  package func advanced(
    by step: ChangeSet<Item>, oldItem: (_ index: Int) throws -> Item
  ) rethrows -> Checksum {
    try advanced(by: step, oldItems: { try $0.map(oldItem) })
  }

  /// The items of so many terms are held at once, and each may be large.
  private static var termsAtOnce: Int { 256 }
}

/// A term that goes or comes with a step.
private struct ChangedTerm {
  enum Place {
    case old(_ index: Int)
    case new(Item)

    func item(_ old: [Int: Item]) -> Item {
      switch self {
      case .new(let item): return item
      case .old(let index):
        guard let item = old[index] else { preconditionFailure("it was asked for") }
        return item
      }
    }
  }

  let item: Place
  /// Nil for the first item of a list.
  let before: Place?
  let isNew: Bool

  var oldIndexes: [Int] {
    [item, before].compactMap { if case .old(let index)? = $0 { index } else { nil } }
  }

  /// Neighbours follow each other.
  static func all(of step: ChangeSet<Item>) -> [ChangedTerm] {
    let runs = step.matchedRuns
    let inserted = Dictionary(uniqueKeysWithValues: step.inserted.map { ($0.to, $0.element) })
    let updated = Dictionary(uniqueKeysWithValues: step.updated.map { ($0.to, $0.new) })
    func place(ofNew index: Int) -> Place {
      if let item = inserted[index] ?? updated[index] { return .new(item) }
      guard let old = runs.oldIndex(ofNew: index) else {
        preconditionFailure("an item of the new list is old or inserted")
      }
      return .old(old)
    }
    let went = Set(step.removed.map(\.from) + runs.map(\.old) + step.updated.map(\.from))
    let came = Set(step.inserted.map(\.to) + runs.map(\.new) + step.updated.map(\.to))
    return went.sorted().map {
      ChangedTerm(item: .old($0), before: $0 > 0 ? .old($0 - 1) : nil, isNew: false)
    }
      + came.sorted().map {
        ChangedTerm(
          item: place(ofNew: $0), before: $0 > 0 ? place(ofNew: $0 - 1) : nil, isNew: true)
      }
  }
}

extension ChangeSet {
  /// Whether the new list's checksum is sooner brought forward by the changes than made anew.
  package var isSmall: Bool { count * 8 < newCount }
}
