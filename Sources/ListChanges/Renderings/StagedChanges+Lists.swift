extension StagedChanges {
  /// The list that the data source holds after a stage, which DifferenceKit calls `data`.
  ///
  /// - Precondition: these changes are those from `old` to `new`.
  /// - Complexity: O(n + m + d log d) for lists of n and m items and d changes.
  public func list<Element>(
    after stage: Stage, from old: some RandomAccessCollection<Element>,
    to new: some RandomAccessCollection<Element>
  ) -> [Element] {
    if stage == .insertionsAndMoves { return Array(new) }
    var list = Array(old)
    let places = newIndexes(ofOld: updated)
    for (from, to) in zip(updated, places) {
      list[from] = new[new.index(new.startIndex, offsetBy: to)]
    }
    if stage == .updates { return list }
    let isDeleted = Set(deleted)
    return list.indices.filter { !isDeleted.contains($0) }.map { list[$0] }
  }

  private func newIndexes(ofOld indexes: [Int]) -> [Int] {
    let targets = Dictionary(uniqueKeysWithValues: moved.map { ($0.from, $0.to) })
    let kept = KeptPlaces(
      leaving: targets.keys.sorted(), placed: (inserted + targets.values).sorted())
    return indexes.compactMap { index in
      let remaining = index - deleted.partitioningIndex { $0 >= index }
      return targets[remaining] ?? kept.newIndex(ofOld: remaining)
    }
  }
}

extension StagedChanges {
  /// The stages between two lists in which an id may stand more than once. Occurrences are numbered
  /// as DifferenceKit pairs them: the k-th of an id in the old list is the k-th in the new one.
  ///
  /// - Parameter isUpdated: whether the contents at an index of the old list and one of the new
  ///   differ; asked once for each pair.
  /// - Complexity: O(n + m + r log r) for lists of n and m ids with r runs in common.
  public static func numberingOccurrences<ID: Hashable>(
    from old: some Collection<ID>, to new: some Collection<ID>,
    isUpdated: (_ from: Int, _ to: Int) -> Bool = { _, _ in false }
  ) -> StagedChanges {
    var occurrences = Occurrences(of: old)
    var runs: [Alignment.Run] = []
    var inserted: [Int] = []
    var updated: [Int] = []
    for (to, id) in new.enumerated() {
      if let from = occurrences.takeNext(id) {
        Alignment.append(Alignment.Run(old: from, new: to, count: 1), to: &runs)
        if isUpdated(from, to) { updated.append(from) }
      } else {
        inserted.append(to)
      }
    }
    return StagedChanges(
      alignment: Alignment(oldCount: old.count, newCount: new.count, pieces: runs),
      updated: updated.sorted(), deleted: occurrences.notTaken, inserted: inserted)
  }
}

/// The indexes of each id, handed out in ascending order.
private struct Occurrences<ID: Hashable> {
  private var first: [ID: Int] = [:]
  /// For each index the next one with the same id.
  private var following: [Int?]
  private var isTaken: [Bool]

  init(of ids: some Collection<ID>) {
    following = Array(repeating: nil, count: ids.count)
    isTaken = Array(repeating: false, count: ids.count)
    for (index, id) in Array(ids).enumerated().reversed() {
      following[index] = first.updateValue(index, forKey: id)
    }
  }

  mutating func takeNext(_ id: ID) -> Int? {
    guard let index = first[id] else { return nil }
    first[id] = following[index]
    isTaken[index] = true
    return index
  }

  var notTaken: [Int] { isTaken.indices.filter { !isTaken[$0] } }
}
