import Foundation
import GRDB
import ListDocuments
import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// `listsync publish`, killed before each of its calls on the files of the publication. A reader
/// finds the head before or the new one, with all files that it names. The next publication
/// finishes what was begun.
@Suite(
  .enabled(if: StopShim.path != nil, "skipped: programs are stopped on Linux, with a C compiler"),
  .disabled(
    if: ProcessInfo.processInfo.environment["LISTSYNC_SANITIZED"] != nil,
    "skipped: sanitizers come first in a program"))
struct PublicationKillCampaign {
  private static let versionCount = 12

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func killedPublicationLeavesAWholeHeadAndIsFinishedByTheNextOne() async throws {
    let test = try TestStore()
    var snapshots = [Snapshot.empty]
    func commit() async throws {
      let number = snapshots.count
      let texts = (0..<200).map { $0 % 40 == number % 40 ? "i\($0)=\(number)" : "i\($0)" }
      snapshots.append(try .of(texts))
      _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: snapshots[number]))
    }
    while snapshots.count <= Self.versionCount { try await commit() }
    let root = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: root) }
    let original = root.appendingPathComponent("original")
    #expect(try await publish(test, to: original).outcome().exitCode == 0)
    try await commit()
    // So that files are removed after the head.
    _ = try await test.service.prune(.parks, keepLast: 8)

    let folder = root.appendingPathComponent("lists")
    func copy() throws {
      try? FileManager.default.removeItem(at: folder)
      try FileManager.default.copyItem(at: original, to: folder)
    }
    let counter = root.appendingPathComponent("count")
    try copy()
    let plan = try StopPlan(at: 0, in: folder, counter: counter)
    _ = try await publish(test, to: folder, plan).outcome()
    let callCount = try plan.callCount
    try #require(callCount > 20)
    var headNumbers: Set<Int> = []
    let campaign = Campaign("publication kill")
    let step = campaign.rounds(4, long: 1)
    var random = campaign.random()
    for number in stride(from: random.number(1...step), through: callCount, by: step) {
      try copy()
      let plan = try StopPlan(at: number, in: folder, counter: counter)
      let program = try publish(test, to: folder, plan)
      try #require(try await program.wait(seconds: 60) == .stopped, "call \(number)")
      try await program.end()
      headNumbers.insert(try expectWholeHead(in: folder, snapshots, "killed at call \(number)"))
      #expect(try await publish(test, to: folder).outcome().exitCode == 0)
      let head = try expectWholeHead(in: folder, snapshots, "after call \(number)")
      #expect(head == snapshots.count - 1)
      let names = FileManager.default.enumerator(atPath: folder.path)?.allObjects ?? []
      #expect(!names.contains { "\($0)".hasSuffix(".partial") }, "after call \(number)")
    }
    #expect(headNumbers == [Self.versionCount, Self.versionCount + 1])
    campaign.report("each \(step). of \(callCount) calls")
  }

  private func publish(
    _ test: TestStore, to folder: URL, _ plan: StopPlan? = nil
  ) throws -> SpawnedProgram {
    let words = ["publish", "parks", "-o", folder.path, "--history", "--store", test.path]
    return try SpawnedProgram(
      words.map { Array($0.utf8) }, in: folder.deletingLastPathComponent(),
      environment: plan?.environment ?? [:])
  }

  /// Follows the deltas from each version, and behind the whole list, to the head.
  ///
  /// - Returns: the version of the head.
  private func expectWholeHead(
    in folder: URL, _ snapshots: [Snapshot], _ context: Comment
  ) throws -> Int {
    let place = folder.appendingPathComponent("parks")
    func bytes(_ file: String) throws -> [UInt8] {
      Array(try Data(contentsOf: place.appendingPathComponent(file)))
    }
    let head = try PublicationHead(bytes(PublicationHead.fileName))
    let whole = try SnapshotDelta(bytes(try #require(head.whole).file))
    let starts =
      [(whole.to.version, whole.snapshot)]
      + (max(head.oldest.number, 1)...head.head.version.number)
      .map { (Version($0), snapshots[$0]) }
    for (version, snapshot) in starts {
      var list = ProvenList<[Item]>(snapshot)
      var (way, cursor): ([DeltaDocument], ListModel.Cursor?) = ([], head.head.cursor)
      for range in head.ranges.way(from: version, to: head.head.version).reversed() {
        let file = PublicationHead.file(of: range, to: try #require(cursor))
        way.append(try DeltaDocument(bytes(file)))
        cursor = way.last?.from.cursor
      }
      for delta in way.reversed() { try list.apply(delta) }
      #expect(list.root == head.head.root, context)
    }
    // The history is written before the head.
    let history = place.appendingPathComponent("history.db").path
    var configuration = Configuration()
    configuration.readonly = true
    try DatabaseQueue(path: history, configuration: configuration).read { db in
      let ids = try String.fetchAll(
        db,
        sql: "SELECT id FROM items WHERE since <= ?1 AND ?1 < until ORDER BY place",
        arguments: [head.head.version.number])
      #expect(ids == snapshots[head.head.version.number].items.map(\.id.text), context)
      #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok", context)
    }
    return head.head.version.number
  }
}
