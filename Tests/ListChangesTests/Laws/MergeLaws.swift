import TestSupport

@testable import ListChanges

/// The laws of merging. The value of a `Pair` has two members, its two lowest bits and the rest.
enum MergeLaws {
  /// - Parameter lists: base, mine and theirs.
  /// - Returns: whether both sides edited different places.
  @discardableResult
  static func check(_ lists: [[Pair]]) throws -> Bool {
    var areApart = false
    let (base, mine, theirs) = (lists[0], lists[1], lists[2])
    let sides = try (mine: base.changes(to: mine), theirs: base.changes(to: theirs))
    for side in [nil, MergeSide.mine, .theirs] {
      let merge = sides.mine.merged(into: sides.theirs, preferring: side, merging: mergeMembers)
      let defined = MergeByDefinition(base, mine, theirs, preferring: side)
      let name = side?.rawValue ?? "neither"
      try law(
        "conflicts are those of the definition, preferring \(name)",
        merge.conflicts == defined.conflicts)
      guard let changes = merge.changes else {
        try law("only undecided conflicts give no list", side == nil && !merge.conflicts.isEmpty)
        continue
      }
      let merged = try theirs.applying(changes)
      try law("the list is that of the definition, preferring \(name)", merged == defined.list)
      try law("the changes are canonical", try changes == theirs.changes(to: merged))
      try law(
        "the names fit", changes.moved.allSatisfy { $0.id == nil || $0.id == theirs[$0.from].id })
      let again = try sides.mine.merged(
        into: base.changes(to: merged), preferring: side, merging: mergeMembers)
      try law("merging again changes nothing, preferring \(name)", again.changes?.isEmpty == true)
      try checkOrder(sides.mine, theirs, merged)
      if merge.conflicts.isEmpty { areApart = try checkGaps(base, mine, theirs, merged) }
    }
    try checkSingleSides(sides.mine, sides.theirs, mine)
    try checkMirror(sides.mine, sides.theirs)
    return areApart
  }

  /// Merges the members of two values; nil when both sides changed one of them.
  static func mergeMembers(base: Pair?, mine: Pair, theirs: Pair) -> Pair? {
    func members(_ pair: Pair) -> [Int] { [pair.value & 3, pair.value >> 2] }
    guard let base else { return nil }
    var merged: [Int] = []
    for ((base, mine), theirs) in zip(zip(members(base), members(mine)), members(theirs)) {
      guard mine == theirs || mine == base || theirs == base else { return nil }
      merged.append(mine == base ? theirs : mine)
    }
    return Pair(id: mine.id, value: merged[0] | merged[1] << 2)
  }

  /// Without changes of one side, the other decides; equal changes of both are made once.
  private static func checkSingleSides(
    _ mine: ChangeSet<Pair>, _ theirs: ChangeSet<Pair>, _ list: [Pair]
  ) throws {
    let nothing = mine.composed(with: mine.inverted())
    let withoutMine = nothing.merged(into: theirs, merging: mergeMembers)
    try law("without mine it is theirs", withoutMine.changes?.isEmpty == true)
    let withoutTheirs = mine.merged(into: nothing, merging: mergeMembers)
    try law("without theirs it is mine", withoutTheirs.changes == mine)
    let twice = mine.merged(into: mine, merging: mergeMembers)
    try law("equal edits merge to themselves", twice.changes?.isEmpty == true)
  }

  /// Both directions have the same conflicts and contents; only the order may differ.
  private static func checkMirror(
    _ mine: ChangeSet<Pair>, _ theirs: ChangeSet<Pair>
  ) throws {
    func contents(_ merge: ListMerge<Pair>, _ theirs: ChangeSet<Pair>) -> [Int: Int?]? {
      guard let changes = merge.changes else { return nil }
      let whole = theirs.composed(with: changes)
      var contents: [Int: Int?] = [:]
      for removal in whole.removed { contents[removal.element.id] = .some(nil) }
      for insertion in whole.inserted { contents[insertion.element.id] = insertion.element.value }
      for update in whole.updated { contents[update.new.id] = update.new.value }
      return contents
    }
    let merge = mine.merged(into: theirs, merging: mergeMembers)
    let mirror = theirs.merged(into: mine) { mergeMembers(base: $0, mine: $2, theirs: $1) }
    let mirrored = mirror.conflicts.map {
      MergeConflict(base: $0.base, mine: $0.theirs, theirs: $0.mine)
    }
    try law(
      "conflicts are the same from both sides",
      merge.conflicts.sorted { $0.id < $1.id } == mirrored.sorted { $0.id < $1.id })
    try law(
      "contents are the same from both sides", contents(merge, theirs) == contents(mirror, mine))
  }

  private static func checkOrder(
    _ mine: ChangeSet<Pair>, _ theirs: [Pair], _ merged: [Pair]
  ) throws {
    let placed = Set(mine.moved.compactMap(\.id))
    let rest = merged.map(\.id).filter { !placed.contains($0) }
    let stay = Set(rest)
    let kept = theirs.map(\.id).filter(stay.contains)
    try law(
      "items that mine did not place keep the order of theirs",
      rest.filter(Set(kept).contains) == kept)
  }

  /// Edits of different items at different places commute. A place is a gap between two neighbours
  /// that neither side removed or moved. If one side at most edited each gap, the merged list has
  /// that side's items there.
  ///
  /// - Returns: whether the edits were at different places.
  private static func checkGaps(
    _ base: [Pair], _ mine: [Pair], _ theirs: [Pair], _ merged: [Pair]
  ) throws -> Bool {
    let lists = [base, mine, theirs, merged].map { $0.map(\.id) }
    let touched = lists[1...2].map { list in
      let moved = movesByDefinition(from: lists[0], to: list).map { lists[0][$0[0]] }
      return Set(list).symmetricDifference(lists[0]).union(moved)
    }
    let fixed = Set(lists[0]).subtracting(touched[0]).subtracting(touched[1])
    let touchedTwice = touched[0].intersection(touched[1])
    try law(
      "items that neither side touched keep their order",
      merged.map(\.id).filter(fixed.contains) == lists[0].filter(fixed.contains))
    let gaps = lists.map { list in
      list.split(omittingEmptySubsequences: false, whereSeparator: fixed.contains)
    }
    let areApart = gaps[0].indices.allSatisfy {
      gaps[1][$0] == gaps[0][$0] || gaps[2][$0] == gaps[0][$0]
    }
    guard touchedTwice.isEmpty, areApart else { return false }
    for (number, gap) in gaps[0].enumerated() {
      let edited = gaps[1][number] == gap ? gaps[2] : gaps[1]
      try law("gap \(number) is that of the side that edited it", gaps[3][number] == edited[number])
    }
    return true
  }
}

/// A merge on whole lists, item by item from the rules.
struct MergeByDefinition {
  private(set) var list: [Pair] = []
  private(set) var conflicts: [MergeConflict<Pair>] = []

  init(_ base: [Pair], _ mine: [Pair], _ theirs: [Pair], preferring side: MergeSide?) {
    func byID(_ list: [Pair]) -> [Int: Pair] {
      Dictionary(uniqueKeysWithValues: list.map { ($0.id, $0) })
    }
    let (inBase, inMine, inTheirs) = (byID(base), byID(mine), byID(theirs))
    var merged: [Int: Pair] = [:]
    for id in theirs.map(\.id) + mine.map(\.id).filter({ inTheirs[$0] == nil }) {
      let (old, mine, theirs) = (inBase[id], inMine[id], inTheirs[id])
      if mine == theirs || theirs == old {
        merged[id] = mine
      } else if mine == old {
        merged[id] = theirs
      } else if let mine, let theirs,
        let both = MergeLaws.mergeMembers(base: old, mine: mine, theirs: theirs)
      {
        merged[id] = both
      } else {
        conflicts.append(MergeConflict(base: old, mine: mine, theirs: theirs))
        merged[id] = side == .mine ? mine : theirs
      }
    }
    // Those of items that both have, that mine removed, and that theirs removed.
    conflicts =
      conflicts.filter { $0.mine != nil && $0.theirs != nil }
      + conflicts.filter { $0.mine == nil } + conflicts.filter { $0.theirs == nil }
    order(base.map(\.id), mine.map(\.id), theirs.map(\.id), merged)
  }

  private mutating func order(
    _ base: [Int], _ mine: [Int], _ theirs: [Int], _ merged: [Int: Pair]
  ) {
    let moved = Set(movesByDefinition(from: base, to: mine).map { base[$0[0]] })
    let own = Set(mine).subtracting(base).union(moved)
    let mine = mine.filter { merged[$0] != nil }
    let placed = Set(mine.filter { moved.contains($0) || !theirs.contains($0) })
    let tail = Array(mine.suffix(mine.count - ((mine.lastIndex { !own.contains($0) } ?? -1) + 1)))
    var order = theirs.filter { merged[$0] != nil && !placed.contains($0) }
    for (index, id) in mine.enumerated() where placed.contains(id) {
      if let rank = tail.firstIndex(of: id) {
        let later = tail[(rank + 1)...]
        let end = order.lastIndex { !later.contains($0) }.map { $0 + 1 } ?? 0
        order.insert(id, at: end)
      } else {
        let anchor = index == 0 ? nil : order.firstIndex(of: mine[index - 1])
        order.insert(id, at: anchor.map { $0 + 1 } ?? 0)
      }
    }
    list = order.compactMap { merged[$0] }
  }
}
