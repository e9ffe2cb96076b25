import ListChanges

/// Many steps with changes all over a list: composed, and applied one after the other.
enum LongHistory {
  static let changesPerStep = 100

  static func report() throws {
    for (stepCount, itemCount) in [(100, 10_000), (100, 1_000_000), (1_000, 1_000_000)] {
      var random = Seeded(state: 11)
      let list = (0..<itemCount).map { Numbered(id: Int64($0), content: 0) }
      var history = History(list: list)
      let steps = try (0..<stepCount).map { _ in try history.step(&random) }
      let changeCount = steps.reduce(0) { $0 + $1.count }
      var composedCount = 0
      let composing = ThreadClock.median(runs: 7) {
        ChangeSet.composing(steps)
      } consume: {
        composedCount = $0?.count ?? 0
      }
      print(
        "l  \(stepCount) steps, \(changeCount) changes, \(itemCount) items:",
        "composed \(milliseconds(composing)), \(Int(composing) / changeCount) ns a change,",
        "\(composedCount) composed")
      let withFirst = [[].changes(to: list, ids: .trusted)] + steps
      let fromNothing = ThreadClock.median(runs: 7) {
        ChangeSet.composing(withFirst)
      } consume: {
        precondition($0?.inserted.count == itemCount)
      }
      print("l    from the empty list, composed: \(milliseconds(fromNothing))")
      let replaying = try ThreadClock.median(runs: 7) {
        var replayed = ReplayedList(list)
        for step in steps { try replayed.apply(step) }
        return replayed.elements
      } consume: {
        precondition($0 == history.list)
      }
      print(
        "l    applied one after the other: \(milliseconds(replaying)),",
        "\(Int(replaying) / changeCount) ns a change")
    }
  }
}

/// A list and its next steps, each of 60 % updates, 15 % insertions, 15 % removals and 10 % moves
/// at random places.
private struct History {
  var list: [Numbered]
  var writeCount: Int64 = 0

  mutating func step(_ random: inout Seeded) throws -> ChangeSet<Numbered> {
    let updateCount = LongHistory.changesPerStep * 60 / 100
    let insertionCount = LongHistory.changesPerStep * 15 / 100
    let moveCount = LongHistory.changesPerStep * 10 / 100
    let places = places(updateCount + insertionCount + moveCount, &random)
    let removed = places[..<insertionCount].sorted()
    let moved = places[insertionCount...].prefix(moveCount).sorted()
    let targets = self.places(insertionCount + moveCount, &random)
    let departures = (removed + moved).sorted()
    let arrivals = targets.sorted()
    let changes = try ChangeSet<Numbered>(
      oldCount: list.count, newCount: list.count,
      removed: removed.map { .init(from: $0, element: list[$0]) },
      moved: zip(moved, targets[insertionCount...]).map {
        .init(from: $0, to: $1, id: list[$0].id)
      },
      inserted: targets[..<insertionCount].sorted().map { .init(to: $0, element: fresh()) },
      updated: places[(insertionCount + moveCount)...].map { from in
        var to = from - departures.count { $0 < from }
        for arrival in arrivals where arrival <= to { to += 1 }
        return .init(from: from, to: to, old: list[from], new: fresh(id: list[from].id))
      }.sorted { $0.to < $1.to }
    ).canonical()
    list = try list.applying(changes)
    return changes
  }

  /// So many different indexes, in no order.
  private func places(_ count: Int, _ random: inout Seeded) -> [Int] {
    var places: Set<Int> = []
    while places.count < count { places.insert(Int.random(in: list.indices, using: &random)) }
    return places.sorted().shuffled(using: &random)
  }

  private mutating func fresh(id: Int64? = nil) -> Numbered {
    writeCount += 1
    return Numbered(id: id ?? -writeCount, content: writeCount)
  }
}
