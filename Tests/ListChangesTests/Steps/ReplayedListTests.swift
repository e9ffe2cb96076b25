import TestSupport
import Testing

@testable import ListChanges

@Suite struct ReplayedListTests {
  @Test func replayedListEqualsAnArrayAfterEachStep() throws {
    var random = SeededRandom.forThisRun()
    var (appliedStepCount, rewriteCount) = (0, 0)
    for round in 0..<400 {
      let lists = random.history(stepCount: 30, limit: [4, 40, 300][round % 3])
      var replayed = ReplayedList(lists[0], nodeCapacity: [5, 6, 32][round % 3])
      for (step, list) in zip(try steps(of: lists), lists.dropFirst()) {
        let before = replayed.appliedCount
        try replayed.apply(step)
        #expect(replayed.count == list.count, "seed \(random.seed), round \(round)")
        #expect(replayed.elements == list, "seed \(random.seed), round \(round)")
        if replayed.appliedCount > before { appliedStepCount += 1 }
        if replayed.appliedCount < before { rewriteCount += 1 }
      }
    }
    #expect(appliedStepCount > 500 && rewriteCount > 500, "\(appliedStepCount), \(rewriteCount)")
  }

  @Test func stepFromAnotherListThrowsLikeApplyingItAndChangesNothing() throws {
    var random = SeededRandom.forThisRun()
    var refusalCount = 0
    for round in 0..<2_000 {
      let note = Comment(rawValue: "seed \(random.seed), round \(round)")
      let lists = random.history(stepCount: 3, limit: [4, 40, 100][round % 3])
      var replayed = ReplayedList(lists[0], nodeCapacity: 5)
      for step in try steps(of: Array(lists[..<3])) { try replayed.apply(step) }
      // Not the step's start, but possibly of the same length.
      let other = lists[2].map { Pair(id: $0.id, value: $0.value + round % 2) }.reversed()
      let wrong = try Array(other).changes(to: lists[3])
      switch Result(catching: { () throws(ListChangesError<Int>) in
        try lists[2].applying(wrong)
      }) {
      case .success(let expected):
        try replayed.apply(wrong)
        #expect(replayed.elements == expected, note)
      case .failure(let expected):
        refusalCount += 1
        #expect(throws: expected, note) { try replayed.apply(wrong) }
        #expect(replayed.elements == lists[2], note)
      }
    }
    #expect(refusalCount > 200)
  }

  @Test func stepFromAListOfAnotherLengthIsRefused() throws {
    let list = (0..<100).map { Pair(id: $0, value: 0) }
    var replayed = ReplayedList(list)
    let removal = try list.changes(to: Array(list.dropLast()))
    try replayed.apply(removal)
    #expect(throws: ListChangesError<Int>.countMismatch(expected: 100, found: 99)) {
      try replayed.apply(removal)
    }
    #expect(replayed.elements == list.dropLast())
  }

  @Test func updatesAreAppliedInPlace() throws {
    var replayed = ReplayedList((0..<1_000).map { Pair(id: $0, value: 0) })
    try replayed.apply(update(of: 17, in: replayed.elements))
    let address = replayed.items.written.withUnsafeBufferPointer { $0.baseAddress }
    for index in 0..<1_000 {
      let item = Pair(id: index, value: index == 17 ? 1 : 0)
      try replayed.apply(update(of: index, item, count: 1_000))
    }
    #expect(replayed.items.written.withUnsafeBufferPointer { $0.baseAddress } == address)
    #expect(replayed.appliedCount == 0)
    #expect(replayed.elements.map(\.value) == (0..<1_000).map { $0 == 17 ? 2 : 1 })
  }

  @Test(arguments: [80, 10_000])
  func rewriteVisitsAboutEightItemsForEachChangeSinceTheLast(count: Int) throws {
    var replayed = ReplayedList((0..<count).map { Pair(id: $0, value: 0) })
    var (rewriteCount, changeCount) = (0, 0)
    for round in 0..<count {
      let before = replayed.appliedCount
      let step = ChangeSet<Pair>(
        uncheckedOldCount: count, newCount: count, removed: [],
        moved: [.init(from: round * 7 % count, to: round * 13 % count, id: nil)], inserted: [],
        updated: [])
      try replayed.apply(step)
      changeCount += 1
      if replayed.appliedCount <= before { rewriteCount += 1 }
    }
    #expect(rewriteCount > 0)
    #expect(rewriteCount * count <= changeCount * 8)
  }

  private func update(of index: Int, in list: [Pair]) -> ChangeSet<Pair> {
    update(of: index, list[index], count: list.count)
  }

  private func update(of index: Int, _ item: Pair, count: Int) -> ChangeSet<Pair> {
    ChangeSet(
      uncheckedOldCount: count, newCount: count, removed: [], moved: [], inserted: [],
      updated: [
        .init(from: index, to: index, old: item, new: Pair(id: index, value: item.value + 1))
      ])
  }
}
