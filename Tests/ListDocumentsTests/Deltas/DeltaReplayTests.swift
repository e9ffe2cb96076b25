import ListChanges
import ListModel
import TestSupport
import Testing

@testable import ListDocuments

@Suite struct DeltaReplayTests {
  private func document(_ old: Snapshot, _ new: Snapshot, to end: Snapshot? = nil) -> DeltaDocument
  {
    DeltaDocument(
      Delta(
        list: nil, from: ListState(of: old), to: ListState(of: end ?? new), oldest: nil,
        changes: old.changes(to: new)))
  }

  @Test func replayGivesTheSameListAsApplyingEachDocument() throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<200 {
      let limit = [4, 10, 200][round % 3]
      var list = try random.snapshot(upTo: limit)
      var replay = DeltaReplay(list)
      for _ in 0..<8 {
        let next = try random.edited(list, pool: limit)
        try replay.apply(document(list, next))
        #expect(replay.snapshot == next, "seed \(random.seed), round \(round)")
        #expect(replay.count == next.items.count)
        list = next
      }
    }
  }

  /// A replay refuses documents that are damaged, or of another list, like single applications do.
  @Test func replayRefusesTheSameDocumentsAsApplyingThem() throws {
    var random = SeededRandom.forThisRun()
    var refusals: Set<String> = []
    for round in 0..<1000 {
      let lists = try (0..<4).map { _ in try random.snapshot(upTo: [3, 12][round % 2]) }
      let right = document(lists[0], lists[1])
      let wrong =
        switch round % 4 {
        case 0: document(lists[2], lists[1])
        case 1: document(lists[0], lists[1], to: lists[3])
        case 2: saidToBe(right, document(lists[2], lists[1]).changes)
        default: try insertingWhatIsThere(lists[0])
        }
      var replay = DeltaReplay(lists[0])
      let found = Result { () throws(DeltaError) in
        try replay.apply(wrong)
        return replay.snapshot
      }
      let expected = Result { () throws(DeltaError) in try wrong.applied(to: lists[0]) }
      #expect(found == expected, "seed \(random.seed), round \(round)")
      if case .failure(let error) = expected { refusals.insert("\(error)".prefix(12) + "") }
    }
    #expect(refusals.count > 4, "\(refusals)")
  }

  /// The document with other changes.
  private func saidToBe(_ document: DeltaDocument, _ others: BareChanges) -> DeltaDocument {
    let (from, to) = (document.from, document.to)
    return DeltaDocument(
      list: nil, from: from, to: to, oldest: nil,
      changes: BareChanges(
        oldCount: from.count, newCount: to.count, removed: others.removed, moved: others.moved,
        inserted: others.inserted, updated: others.updated))
  }

  private func insertingWhatIsThere(_ list: Snapshot) throws -> DeltaDocument {
    let state = ListState(of: list)
    let item = Item(id: list.items.last?.id ?? "a", content: try Content(json: "1"))
    let count = list.items.count
    return DeltaDocument(
      list: nil, from: state,
      to: ListState(cursor: nil, count: count + 1, root: state.root), oldest: nil,
      changes: BareChanges(
        oldCount: count, newCount: count + 1, removed: [], moved: [],
        inserted: [.init(item: item, to: 0)], updated: []))
  }

  /// A former fault: 10,000 versions of 1,000 items took 20 seconds, since each root was
  /// computed from the whole list.
  @Test func replayOfSmallStepsNeverReadsTheWholeList() throws {
    let item = { (id: Int, value: Int) in
      Item(id: ItemID("\(id)"), content: try Content(json: "\(value)"))
    }
    var list = try Snapshot((0..<400).map { try item($0, 0) })
    var replay = DeltaReplay(list)
    for step in 1...400 {
      var items = list.items
      items[step * 7 % 400] = try item(step * 7 % 400, step)
      let next = try Snapshot(items)
      let before = groups(of: replay)
      try replay.apply(document(list, next))
      #expect(groups(of: replay).subtracting(before).count <= 3, "step \(step)")
      list = next
    }
    #expect(groups(of: replay).count > 6 && replay.snapshot == list)
    // The cost of a large step depends on its changes.
    let reversed = try Snapshot(list.items.reversed())
    try replay.apply(document(list, reversed))
    #expect(replay.snapshot == reversed)
  }

  /// The groups of items whose hashes a list keeps.
  private func groups(of replay: DeltaReplay) -> Set<ObjectIdentifier> {
    func groups(in group: RootNode) -> [RootNode] {
      group.level == 1 ? [group] : group.groups.flatMap(groups)
    }
    return Set((replay.tree.map { groups(in: $0.top) } ?? []).map { ObjectIdentifier($0) })
  }
}
