import Foundation
import ListChanges
import ListModel
import TestSupport
import Testing

@testable import SyncClient

/// The laws of the pending edits, with random edits and news.
@Suite struct EditQueueTests {
  /// A list of up to 6 items, each with two members.
  private static func snapshot(_ random: inout SeededRandom) -> Snapshot {
    let ids = Array("abcdefgh").shuffled(using: &random)
      .prefix(Int.random(in: 0...6, using: &random))
    return Snapshot(
      uniqueItems: ids.map {
        ModelServer.item("\($0)=\(Int.random(in: 0...2, using: &random))")
      })
  }

  /// Takes a queue one random way further.
  private static func advance(
    _ queue: EditQueue, over copy: inout ListCopy, _ server: inout ModelServer,
    _ random: inout SeededRandom
  ) throws -> EditQueue {
    switch Int.random(in: 0...5, using: &random) {
    case 0, 1:
      let shown = Snapshot(uniqueItems: try ShownCopy(copy, queue).items)
      let edited = snapshot(&random)
      let new = try queue.editing(shown.changes(to: edited), over: copy)
      let nowShown = Snapshot(uniqueItems: try ShownCopy(copy, new).items)
      #expect(nowShown == edited, "the edit is shown")
      return new
    case 2: return queue.isSent ? queue.unsealed(keepsBase: random.chance(2)) : queue
    case 3: return try queue.sealed(over: copy)
    default:
      let before = copy
      server.commit(snapshot(&random))
      copy = server.head
      return try queue.following(ReplicaStep(from: before, to: copy))
    }
  }

  private static func run(
    _ random: inout SeededRandom, _ check: (EditQueue, ListCopy, inout SeededRandom) throws -> Void
  ) throws {
    var server = ModelServer.random(versionCount: 1, using: &random)
    var (queue, copy) = (EditQueue.empty, server.head)
    for _ in 0..<8 {
      queue = try advance(queue, over: &copy, &server, &random)
      try check(queue, copy, &random)
    }
  }

  @Test func newsInPagesGiveWhatTheyGiveAtOnce() throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<300 {
      try Self.run(&random) { queue, copy, random in
        var server = ModelServer()
        server.commit(copy.snapshot)
        for _ in 0..<3 { server.commit(Self.snapshot(&random)) }
        let steps = (1..<4).map {
          ReplicaStep(from: server.history[$0], to: server.history[$0 + 1])
        }
        let paged = try steps.reduce(queue) { try $0.following($1) }
        let whole = try queue.following(ReplicaStep(from: server.history[1], to: server.head))
        #expect(
          paged.first == whole.first && paged.tryCount == whole.tryCount, "seed \(random.seed)")
        // The list below the second edits is merged from the original base, too.
        if queue.second == nil {
          #expect(paged == whole)
          #expect(paged.shownChanges == whole.shownChanges)
        }
      }
    }
  }

  @Test func sentEditsNeverChange() throws {
    var random = SeededRandom.forThisRun()
    var sentCount = 0
    for _ in 0..<300 {
      var last = EditQueue.empty
      try Self.run(&random) { queue, _, _ in
        if last.isSent, queue.isSent {
          #expect(queue.first?.mine == last.first?.mine && queue.first?.base == last.first?.base)
          sentCount += 1
        }
        last = queue
      }
    }
    #expect(sentCount > 50)
  }

  /// What the server makes of the edits is the list that is shown, if there are no conflicts.
  @Test func editsThatTheServerMergesAreThoseThatWereShown() throws {
    var random = SeededRandom.forThisRun()
    var mergedCount = 0
    for _ in 0..<300 {
      try Self.run(&random) { queue, copy, _ in
        let sealed = queue.isSent ? queue : try queue.sealed(over: copy)
        guard sealed.isSent, let first = sealed.first, sealed.conflicts.isEmpty else { return }
        let base =
          try first.base.root == copy.state.root
          ? copy.snapshot : copy.snapshot.applying(first.toBase)
        #expect(Root(of: base) == first.base.root)
        let mine = try base.applying(first.mine)
        let merge = mine.merged(into: copy.snapshot, base: base)
        let merged = try copy.snapshot.applying(#require(merge.changes))
        if sealed.second == nil {
          #expect(try merged.items == ShownCopy(copy, sealed).items)
        }
        // The copy gets this list.
        var server = ModelServer()
        server.commit(copy.snapshot)
        server.commit(merged)
        let step = ReplicaStep(from: server.history[1], to: server.head)
        let after = try sealed.following(step).finished(over: server.head)
        #expect(try ShownCopy(server.head, after).items == ShownCopy(copy, sealed).items)
        mergedCount += 1
      }
    }
    #expect(mergedCount > 100)
  }

  @Test func aSideDecidesAllConflicts() throws {
    var random = SeededRandom.forThisRun()
    var conflictCount = 0
    for _ in 0..<300 {
      try Self.run(&random) { queue, copy, _ in
        guard !queue.isSent, !queue.conflicts.isEmpty else { return }
        conflictCount += 1
        #expect(try queue.sealed(over: copy) == queue, "edits with conflicts are not sent")
        for side in MergeSide.allCases {
          let resolved = try queue.resolved(preferring: side, over: copy)
          #expect(resolved.conflicts.isEmpty)
          #expect(resolved.isEmpty || resolved.first?.base.cursor == copy.cursor)
        }
        let mine = try queue.resolved(preferring: .mine, over: copy)
        #expect(try ShownCopy(copy, mine).items == ShownCopy(copy, queue).items)
      }
    }
    #expect(conflictCount > 10)
  }

  /// Also later edits of an item or a member whose first edit was sent and refused.
  @Test func aDecisionForTheOthersGivesUpWhatTheConflictsShow() throws {
    var random = SeededRandom.forThisRun()
    var secondCount = 0
    for _ in 0..<1_000 {
      try Self.run(&random) { queue, copy, random in
        guard !queue.isSent, !queue.conflicts.isEmpty else { return }
        let decided = try queue.resolved(preferring: .theirs, over: copy)
        let (shown, rest) = (try Self.contents(copy, queue), try Self.contents(copy, decided))
        for id in Set(shown.keys).union(rest.keys) where shown[id] != rest[id] {
          let value = shown[id].flatMap { ContentView($0).member("value")?.content }
          #expect(
            queue.conflicts.contains { conflict in
              let isWhole = conflict.member.path.tokens.isEmpty
              return conflict.id == id && conflict.member.mine == (isWhole ? shown[id] : value)
            }, "seed \(random.seed), \(id)")
          if queue.second != nil { secondCount += 1 }
        }
      }
    }
    #expect(secondCount > 10)
  }

  private static func contents(
    _ copy: ListCopy, _ queue: EditQueue
  ) throws -> [ItemID: Content] {
    let items = try ShownCopy(copy, queue).items
    return Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0.content) })
  }

  @Test func savedEditsAreReadBack() async throws {
    var random = SeededRandom.forThisRun()
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    var (fileCount, secondCount) = (0, 0)
    for _ in 0..<40 {
      var server = ModelServer.random(versionCount: 1, using: &random)
      var (queue, copy) = (EditQueue.empty, server.head)
      let path = folder.appendingPathComponent("\(fileCount)").path
      let source = ReplicaSource(server: "https://lists.example", list: ModelServer.list)
      var file = ReplicaFile(path: path, source: source)
      _ = try await file.load()
      try await file.save(ReplicaStep(from: .empty, to: copy))
      for _ in 0..<6 {
        let before = copy
        queue = try Self.advance(queue, over: &copy, &server, &random)
        // A program that knows no edits saves the step alone, and keeps them.
        let isStep = copy.cursor != before.cursor
        try await file.save(
          isStep ? ReplicaStep(from: before, to: copy) : nil,
          isStep && random.chance(2) ? nil : queue)
        if random.chance(2) { file = ReplicaFile(path: path, source: source) }
        #expect(try await file.load() == copy)
        #expect(await file.edits() == queue, "seed \(random.seed)")
        if queue.second != nil { secondCount += 1 }
      }
      fileCount += 1
    }
    #expect(secondCount > 0)
  }
}

extension ShownCopy {
  init(_ copy: ListCopy, _ queue: EditQueue) {
    self.init(copy: copy, stepCount: 0, edits: queue.shownChanges)
  }
}
