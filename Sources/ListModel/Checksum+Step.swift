import ListChanges

extension Checksum {
  /// The checksum after a step, of this checksum before it.
  ///
  /// A term depends on an item and the id before it. So a matched item has a new term only if its
  /// content or its predecessor changed.
  ///
  /// - Parameter oldItems: the items at some indexes of the old list, in this order; called for
  ///   O(d) items in all, at most 512 at once.
  /// - Complexity: O(d log d) for d changes, and a SHA-256 for each old or new term.
  package func advanced(
    by step: ChangeSet<Item>, oldItems: (_ indexes: [Int]) throws -> [Item]
  ) rethrows -> Checksum {
    var checksum = self
    let terms = ChangedTerm.all(of: step)
    for start in stride(from: 0, to: terms.count, by: Self.termsAtOnce) {
      let batch = terms[start..<min(start + Self.termsAtOnce, terms.count)]
      let indexes = Set(batch.flatMap(\.oldIndexes)).sorted()
      let items = Dictionary(uniqueKeysWithValues: zip(indexes, try oldItems(indexes)))
      for term in batch {
        let value = Self.term(of: term.item.item(items), after: term.before?.item(items).id)
        if term.isNew { checksum.add(value) } else { checksum.subtract(value) }
      }
    }
    return checksum
  }

  /// The same, for lists in which finding an item costs little.
  package func advanced(
    by step: ChangeSet<Item>, oldItem: (_ index: Int) throws -> Item
  ) rethrows -> Checksum {
    try advanced(by: step, oldItems: { try $0.map(oldItem) })
  }

  /// Limits the items held at once, as each can be large.
  private static var termsAtOnce: Int { 256 }
}

/// A term that a step removes or adds.
private struct ChangedTerm {
  enum Place {
    case old(_ index: Int)
    case new(Item)

    func item(_ old: [Int: Item]) -> Item {
      switch self {
      case .new(let item): return item
      case .old(let index):
        guard let item = old[index] else { preconditionFailure("the old item was requested") }
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

  /// All terms, in the order of the lists.
  static func all(of step: ChangeSet<Item>) -> [ChangedTerm] {
    let alignment = Alignment(of: step)
    // A run that begins both lists has no other item before it.
    let runs = alignment.runs.filter { $0.old > 0 || $0.new > 0 }
    let inserted = Dictionary(uniqueKeysWithValues: step.inserted.map { ($0.to, $0.element) })
    let updated = Dictionary(uniqueKeysWithValues: step.updated.map { ($0.to, $0.new) })
    func place(ofNew index: Int) -> Place {
      if let item = inserted[index] ?? updated[index] { return .new(item) }
      guard let old = alignment.oldIndex(ofNew: index) else {
        preconditionFailure("an item of the new list is matched or inserted")
      }
      return .old(old)
    }
    let gone = Set(step.removed.map(\.from) + runs.map(\.old) + step.updated.map(\.from))
    let added = Set(step.inserted.map(\.to) + runs.map(\.new) + step.updated.map(\.to))
    return gone.sorted().map {
      ChangedTerm(item: .old($0), before: $0 > 0 ? .old($0 - 1) : nil, isNew: false)
    }
      + added.sorted().map {
        ChangedTerm(
          item: place(ofNew: $0), before: $0 > 0 ? place(ofNew: $0 - 1) : nil, isNew: true)
      }
  }
}

extension ChangeSet {
  /// Whether updating the checksum by the changes costs less than computing it again.
  package var isSmall: Bool { count * 8 < newCount }
}
