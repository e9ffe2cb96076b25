import Foundation
import ListChanges
import ListModel
import StoreTestSupport
import TestSupport
import Testing

@testable import ListStore
@testable import SQLiteStore
@testable import SyncService

/// Random histories, pruned at random places. Answers after a pruning must equal those before.
@Suite struct PruningLawTests {
  /// A store that is reopened, and all snapshots ever committed to it.
  private struct Twin {
    let path: String
    var random: SeededRandom
    var store: SQLiteStore
    var snapshots: [[String]] = [[]]

    var service: SyncService { SyncService(store: store) { TestStore.noon } }

    init(path: String, seed: UInt64) throws {
      self.path = path
      random = SeededRandom(seed: seed)
      store = try SQLiteStore(path: path, ifAbsent: .create)
    }

    mutating func reopen() throws {
      store = try SQLiteStore(path: path, ifAbsent: .fail)
    }

    /// Few ids and few contents, so both go and return.
    mutating func commit(count: Int) async throws {
      while snapshots.count <= count {
        var ids = (0..<7).map { "i\($0)" }.shuffled(using: &random)
        ids.removeLast(Int.random(in: 0...ids.count, using: &random))
        var texts = ids.map { "\($0)=\(Int.random(in: 0...2, using: &random))" }
        // Sometimes a small change, which moves nothing.
        if Bool.random(using: &random), let last = snapshots.last, !last.isEmpty {
          texts = last
          texts.remove(at: Int.random(in: texts.indices, using: &random))
        }
        let request = CommitRequest(list: .parks, snapshot: try .of(texts))
        guard case .committed = try await service.commit(request) else { continue }
        snapshots.append(texts)
        if Int.random(in: 0..<4, using: &random) == 0 { try await writeCheckpoint() }
      }
    }

    private func writeCheckpoint() async throws {
      try await store.write { writer in
        let list = try writer.existingLockedList(.parks)
        let items = try writer.storedItems(at: list.head, of: list)
        try writer.writeCheckpoint(items, at: list.head, of: list.key)
      }
    }
  }

  /// The answers to all queries about versions from one on.
  private struct Answers: Equatable {
    var records: [VersionRecord] = []
    var snapshots: [Snapshot] = []
    var changes: [String: ChangeSet<Item>] = [:]
    var histories: [ItemID: [ItemChange]] = [:]
  }

  private func answers(of twin: Twin, from floor: Int) async throws -> Answers {
    var answers = Answers()
    let (service, head) = (twin.service, twin.snapshots.count - 1)
    answers.records = try await service.log(of: .parks).filter { $0.version >= Version(floor) }
    for version in floor...head {
      let revision = Revision.version(Version(version))
      let snapshot = try await service.snapshot(of: .parks, at: revision).snapshot
      #expect(snapshot == (try Snapshot.of(twin.snapshots[version])))
      answers.snapshots.append(snapshot)
    }
    for from in [0] + Array(floor...head) {
      for to in [0] + Array(floor...head) {
        answers.changes["\(from) \(to)"] = try await service.delta(
          of: .parks, since: .version(Version(from)), to: .version(Version(to))
        ).changes
      }
    }
    for number in 0..<7 {
      let id = ItemID("i\(number)")
      let history = try? await service.history(of: id, in: .parks)
      answers.histories[id] = (history ?? []).filter { $0.record.version > Version(floor) }
    }
    return answers
  }

  /// Prunes to a floor, and compares the answers with those before.
  private func prune(_ twin: inout Twin, to floor: Int) async throws {
    let before = try await answers(of: twin, from: floor)
    try await twin.service.prune(keepLast: twin.snapshots.count - floor)
    try twin.reopen()
    #expect(try await answers(of: twin, from: floor) == before)
    try await expectWhole(twin, floor: floor)
  }

  private func expectWhole(_ twin: Twin, floor: Int) async throws {
    #expect(try await LogInvariants.faults(of: twin.store) == [])
    #expect(try await twin.service.verify(depth: .everything).faults == [])
    for version in 1..<floor {
      await #expect {
        try await twin.service.snapshot(of: .parks, at: .version(Version(version)))
      } throws: { error in
        guard case .tooOld? = error as? ServiceError else { return false }
        return true
      }
    }
  }

  @Test func keptVersionsGiveTheSameAnswersAsBeforePruning() async throws {
    var seeds = SeededRandom.forThisRun()
    for _ in 0..<6 {
      let seed = seeds.next()
      let folder = try TemporaryFolder.make()
      defer { try? FileManager.default.removeItem(at: folder) }
      var twin = try Twin(path: folder.appendingPathComponent("test.db").path, seed: seed)
      var floor = 1
      for count in [9, 13, 16] {
        try await twin.commit(count: count)
        try await expectWhole(twin, floor: floor)
        floor = Int.random(in: floor...count, using: &twin.random)
        try await prune(&twin, to: floor)
      }
    }
  }

  @Test func storeIsSoundAfterPruningToEveryFloorOfASmallHistory() async throws {
    let versions = [
      ["a", "b"], ["b=1", "a"], ["a"], ["c", "a=1", "b=1"], ["b", "a"], [], ["a=1", "c"],
    ]
    for floor in 1...versions.count {
      let folder = try TemporaryFolder.make()
      defer { try? FileManager.default.removeItem(at: folder) }
      var twin = try Twin(path: folder.appendingPathComponent("test.db").path, seed: 0)
      for texts in versions {
        _ = try await twin.service.commit(.init(list: .parks, snapshot: try .of(texts)))
        twin.snapshots.append(texts)
      }
      try await prune(&twin, to: floor)
    }
  }
}
