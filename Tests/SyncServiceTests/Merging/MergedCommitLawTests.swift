import Foundation
import ListChanges
import ListDocuments
import ListModel
import ListStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Commits on older versions, on all small histories, on the cases of another program, and on real
/// histories that are split into two branches.
@Suite struct MergedCommitLawTests {
  private let campaign = Campaign("merged commits")

  /// All lists over some ids, each item with one of two contents.
  private static func lists(over ids: [String]) -> [[String]] {
    var all: [[String]] = [[]]
    var (first, last) = (0, 1)
    while first < last {
      for list in all[first..<last] {
        let held = list.map { String($0.prefix(1)) }
        for id in ids where !held.contains(id) {
          all += [list + [id], list + ["\(id)=1"]]
        }
      }
      (first, last) = (last, all.count)
    }
    return all
  }

  private func commit(
    _ list: ListName, _ snapshot: Snapshot, in service: SyncService
  ) async throws -> ListState {
    try await service.commit(CommitRequest(list: list, snapshot: snapshot)).state
  }

  /// Commits base, theirs, and mine on the base, and compares the list with the merge of the three
  /// lists. Then repeats the commit after each of some versions.
  ///
  /// - Returns: whether there were conflicts.
  private func expectLaws(
    _ lists: (base: Snapshot, mine: Snapshot, theirs: Snapshot), preferring side: MergeSide?,
    _ name: ListName, _ service: SyncService, _ note: Comment
  ) async throws -> Bool {
    let (base, mine, theirs) = lists
    let start = base.items.isEmpty ? .zero : try await commit(name, base, in: service)
    _ = try await commit(name, theirs, in: service)
    let merge = mine.merged(into: theirs, base: base, preferring: side)
    var request = CommitRequest(list: name, snapshot: mine)
    request.merge(from: .cursor(try #require(start.cursor)), preferring: side)
    guard let changes = merge.changes else {
      do {
        let outcome = try await service.commit(request)
        Issue.record("\(note): \(outcome)")
      } catch ServiceError.conflicts(let conflicts, _, _, _) {
        #expect(conflicts.listed == merge.conflicts, note)
      }
      #expect(try await service.snapshot(of: name).snapshot == theirs, note)
      return true
    }
    let merged = try theirs.applying(changes)
    let state = try await service.commit(request).state
    #expect(try await service.snapshot(of: name).snapshot == merged, note)
    // Whatever follows, the same request changes nothing.
    for later in [merged, theirs, base, .empty] {
      let head = try await commit(name, later, in: service)
      #expect(try await service.commit(request).newRecord == nil, note)
      #expect(try await service.state(of: ListRevision(name, .head)) == head, note)
    }
    #expect(state.root == Root(of: merged), note)
    return false
  }

  @Test func allSmallHistoriesGiveThePureMergeOnce() async throws {
    let all = try Self.lists(over: ["a", "b", "c"]).map { try Snapshot.of($0) }
    let bases = try [[], ["a"], ["a", "b"], ["a", "b", "c"]].map { try Snapshot.of($0) }
    let count = bases.count * all.count * all.count
    var (random, checked, conflicting) = (campaign.random(), 0, 0)
    let stride = campaign.rounds(101, long: 1)
    var test = try TestStore()
    for number in Swift.stride(from: random.number(0...stride - 1), to: count, by: stride) {
      // A store with thousands of lists is slow.
      if checked % 256 == 255 { test = try TestStore() }
      let (pair, base) = number.quotientAndRemainder(dividingBy: bases.count)
      let lists = (bases[base], all[pair / all.count], all[pair % all.count])
      if lists.2 == lists.0, lists.0.items.isEmpty { continue }
      let side = random.element(of: [nil, .mine, .theirs] as [MergeSide?])
      let name = try #require(ListName("list-\(number)"))
      if try await expectLaws(
        lists, preferring: side, name, test.service, "seed \(campaign.seed), case \(number)")
      {
        conflicting += 1
      }
      checked += 1
    }
    #expect(conflicting > 20)
    campaign.report("\(checked) histories of \(count), \(conflicting) with conflicts")
  }

  @Test(
    .enabled(
      if: Shared.has("oracle/merges.jsonl"),
      "SKIPPED: shared/oracle/merges.jsonl is not beside the checkout"))
  func casesOfAnotherProgramGiveItsLists() async throws {
    let lines = try Shared.data("oracle/merges.jsonl").split(separator: UInt8(ascii: "\n"))
    var random = campaign.random(1)
    let stride = campaign.rounds(5, long: 1)
    var test = try TestStore()
    for number in Swift.stride(from: random.number(0...stride - 1), to: lines.count, by: stride) {
      if number % 100 < stride { test = try TestStore() }
      let oracle = ContentView(try Content(json: Array(lines[number])))
      func list(_ name: String) throws -> Snapshot {
        try Snapshot(
          #require(oracle.member(name)).elements.map { entry in
            let id = try #require(entry.elements[0].scalarText)
            return Item(id: ItemID(id), content: entry.elements[1].content)
          })
      }
      let lists = (try list("base"), try list("mine"), try list("theirs"))
      for (side, merged) in [(MergeSide.mine, "merged_mine"), (.theirs, "merged_theirs")] {
        let service = test.service
        let name = try #require(ListName("case-\(number)-\(side.rawValue)"))
        let start = lists.0.items.isEmpty ? .zero : try await commit(name, lists.0, in: service)
        _ = try await commit(name, lists.2, in: service)
        var request = CommitRequest(list: name, snapshot: lists.1)
        request.merge(from: .cursor(try #require(start.cursor)), preferring: side)
        request.forcedChanges = [.removed]
        _ = try await service.commit(request)
        let found = try await service.snapshot(of: name).snapshot
        #expect(try found == list(merged), "case \(number), \(side.rawValue)")
      }
    }
  }

  /// A real history is split at a random version: theirs is the next version, and mine has the
  /// edits of the step after it, made to the base. Each commit without a conflict gives the pure
  /// merge. How many conflict depends on the list: some rewrite the same members in each version.
  @Test(
    .enabled(if: RealList.areThere, Comment(rawValue: RealList.skipNote)),
    arguments: RealList.several)
  func branchesOfARealHistoryAreMergedOrConflict(list: RealList) async throws {
    let versions = try await Self.versions(of: list)
    var (random, merged, refused, conflictCount) = (campaign.random(2), 0, 0, 0)
    let isLong = (versions.first?.items.count ?? 0) > 5000
    for round in 0..<campaign.rounds(isLong ? 3 : 12, long: 200) {
      let start = random.number(0...versions.count - 3)
      let (base, theirs) = (versions[start], versions[start + 1])
      let step = theirs.changes(to: versions[start + 2])
      let back = theirs.changes(to: base)
      let edits = try #require(step.mergedByMembers(into: back, preferring: .mine).changes)
      let mine = try base.applying(edits)
      let test = try TestStore()
      let state = try await commit(.parks, base, in: test.service)
      _ = try await commit(.parks, theirs, in: test.service)
      var request = CommitRequest(list: .parks, snapshot: mine)
      request.merge(from: .cursor(try #require(state.cursor)))
      request.forcedChanges = [.removed]
      let pure = mine.merged(into: theirs, base: base)
      do {
        _ = try await test.service.commit(request)
        merged += 1
        let found = try await test.service.snapshot(of: .parks).snapshot
        #expect(try found == theirs.applying(#require(pure.changes)), "\(list), round \(round)")
        #expect(try await test.service.commit(request).newRecord == nil)
      } catch ServiceError.conflicts(let conflicts, _, _, _) {
        #expect(conflicts.count == pure.conflicts.count, "\(list), round \(round)")
        refused += 1
        conflictCount += conflicts.count
      }
    }
    campaign.report(
      "\(list): \(merged) of \(merged + refused) branches merged by themselves, "
        + "\(conflictCount) conflicts in the others")
  }

  private static func versions(of list: RealList) async throws -> [Snapshot] {
    let (spec, truth) = (try list.spec(), try list.truth())
    var itemCount = 0
    let share = truth.versions.prefix { version in
      itemCount += version.items
      return Campaign.isLong || itemCount <= 60_000
    }
    var options = SnapshotOptions(
      format: SnapshotOptions.Format(rawValue: spec.format), idRule: try IDRule(spec.id))
    options.duplicates = .keepFirst
    let reader = SnapshotReader(options: options)
    return try await list.withVersions { folder in
      try share.map { version in
        let bytes = try Array(Data(contentsOf: folder.appendingPathComponent(version.file)))
        return try reader.read(bytes).snapshot
      }
    }
  }
}
