import Foundation
import GRDB
import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// `listsync export`, killed before each of its calls on the files of the export, when it makes the
/// file and when it appends to one. A reader finds whole versions, and the next export completes
/// them.
@Suite(
  .enabled(if: StopShim.path != nil, "skipped: programs are stopped on Linux, with a C compiler"),
  .disabled(
    if: ProcessInfo.processInfo.environment["LISTSYNC_SANITIZED"] != nil,
    "skipped: sanitizers come first in a program"))
struct ExportKillCampaign {
  private static let firstCount = 6

  @Test(.timeLimit(.minutes(Hang.minutes)), arguments: [false, true])
  func killedExportLeavesWholeVersionsAndIsFinishedByTheNextOne(isThere: Bool) async throws {
    let test = try TestStore()
    var snapshots = [Snapshot.empty]
    func commit() async throws {
      let number = snapshots.count
      var texts = (0..<300).map { $0 % 20 == number % 20 ? "i\($0)=\(number)" : "i\($0)" }
      texts.swapAt(number, 200)
      texts.remove(at: 50 + number)
      snapshots.append(try .of(texts))
      _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: snapshots[number]))
    }
    while snapshots.count <= Self.firstCount { try await commit() }
    let root = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: root) }
    let original = root.appendingPathComponent("original")
    try FileManager.default.createDirectory(at: original, withIntermediateDirectories: true)
    if isThere { #expect(try await export(test, to: original).outcome().exitCode == 0) }
    for _ in 1...2 { try await commit() }
    _ = try await test.service.prune(.parks, keepLast: 6)

    let folder = root.appendingPathComponent("exports")
    func copy() throws {
      try? FileManager.default.removeItem(at: folder)
      try FileManager.default.copyItem(at: original, to: folder)
    }
    let counter = root.appendingPathComponent("count")
    try copy()
    let plan = try StopPlan(at: 0, in: folder, counter: counter)
    _ = try await export(test, to: folder, plan).outcome()
    let callCount = try plan.callCount
    try #require(callCount > 20)
    var newest: Set<Int> = []
    let campaign = Campaign("export kill")
    let step = campaign.rounds(6, long: 1)
    var random = campaign.random()
    for number in stride(from: random.number(1...step), through: callCount, by: step) {
      try copy()
      let plan = try StopPlan(at: number, in: folder, counter: counter)
      let program = try export(test, to: folder, plan)
      try #require(try await program.wait(seconds: 60) == .stopped, "call \(number)")
      try await program.end()
      newest.insert(try expectWholeVersions(in: folder, snapshots, "killed at call \(number)"))
      #expect(try await export(test, to: folder).outcome().exitCode == 0)
      let last = try expectWholeVersions(in: folder, snapshots, "after call \(number)")
      #expect(last == snapshots.count - 1)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(names == ["history.db"], "after call \(number)")
    }
    #expect(newest.isSubset(of: [isThere ? Self.firstCount : 0, snapshots.count - 1]))
    campaign.report("each \(step). of \(callCount) calls")
  }

  private func export(
    _ test: TestStore, to folder: URL, _ plan: StopPlan? = nil
  ) throws -> SpawnedProgram {
    let path = folder.appendingPathComponent("history.db").path
    let words = ["export", "parks", "-o", path, "--members", "--store", test.path]
    return try SpawnedProgram(
      words.map { Array($0.utf8) }, in: folder.deletingLastPathComponent(),
      environment: plan?.environment ?? [:])
  }

  /// Reads all versions of a copy of the export, as another program does: it undoes what the killed
  /// one left.
  ///
  /// - Returns: the newest version; 0 without one.
  private func expectWholeVersions(
    in folder: URL, _ snapshots: [Snapshot], _ context: Comment
  ) throws -> Int {
    let copy = folder.deletingLastPathComponent().appendingPathComponent("copy")
    try? FileManager.default.removeItem(at: copy)
    try FileManager.default.copyItem(at: folder, to: copy)
    return try DatabaseQueue(path: copy.appendingPathComponent("history.db").path).read { db in
      #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok", context)
      guard try db.tableExists("versions") else { return 0 }
      let versions = try Int.fetchAll(db, sql: "SELECT version FROM versions ORDER BY version")
      for version in versions {
        let ids = try String.fetchAll(
          db, sql: "SELECT id FROM items WHERE since <= ?1 AND ?1 < until ORDER BY place",
          arguments: [version])
        #expect(ids == snapshots[version].items.map(\.id.text), context)
      }
      return versions.last ?? 0
    }
  }
}
