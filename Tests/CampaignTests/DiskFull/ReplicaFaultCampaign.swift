import FaultyFiles
import Foundation
import ListModel
import StoreTestSupport
import TestSupport
import Testing

@testable import SyncClient

/// Campaign 6 with the file of a replica: a failed save keeps the former copy, for readers too.
@Suite struct ReplicaFaultCampaign {
  private static let source = ReplicaSource(server: "https://lists.example", list: .parks)

  /// The copy before and after the save that fails: enough items to fill several pages.
  private let (before, after): (ListCopy, ListCopy)

  init() throws {
    before = try Self.copy(version: 1, texts: (0..<400).map { "i\($0)=1" })
    after = try Self.copy(version: 2, texts: (0..<500).map { "i\($0)=2" })
  }

  private static func copy(version: Int, texts: [String]) throws -> ListCopy {
    let snapshot = try Snapshot.of(texts)
    let header = VersionHeader(
      version: Version(version), note: CommitNote(time: Timestamp(millisecondsSince1970: 0)),
      root: Root(of: snapshot), previous: .zero)
    return try ListCopy(state: ListState(header, count: texts.count), snapshot: snapshot)
  }

  private static func step(from before: ListCopy, to after: ListCopy) -> ReplicaStep {
    ReplicaStep(
      before: before, after: after, changes: before.snapshot.changes(to: after.snapshot),
      reason: .changes)
  }

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func failedSaveIsRolledBackAtOnceOrSaysThatItIsNot() async throws {
    let campaign = Campaign("replica faults")
    let writeCount = try await trial(nil)
    var (rolledBackCount, unfinishedCount) = (0, 0)
    for number in Swift.stride(from: 1, through: writeCount, by: Campaign.isLong ? 1 : 5) {
      _ = try await trial(.error(at: number, of: [.write])) { path, _, error in
        #expect(Self.obstacle(error) != .unfinished, "write \(number): \(error)")
        #expect(!FileManager.default.fileExists(atPath: path + "-journal"), "write \(number)")
        let copy = try await ReplicaFile.read(path).copy
        #expect(copy == before, "write \(number)")
        rolledBackCount += 1
      }
      _ = try await trial(.diskFull(at: number)) { path, faults, error in
        if Self.obstacle(error) == .unfinished { unfinishedCount += 1 }
        faults.plan = nil
        let copy = try await ReplicaFile.read(path).copy
        #expect(copy == before, "full at write \(number)")
      }
    }
    #expect(rolledBackCount > 0 && unfinishedCount > 0)
    campaign.report(
      "\(writeCount) writes, \(rolledBackCount) rolled back, \(unfinishedCount) said not to be")
  }

  private static func obstacle(_ error: ReplicaError) -> SaveObstacle? {
    guard case .notSaved(_, let obstacle) = error else { return nil }
    return obstacle
  }

  /// Saves a copy, and then the next one with a fault.
  ///
  /// - Returns: the number of writes of the second save.
  private func trial(
    _ plan: FaultPlan?,
    ifFailed check: (String, FaultyFolder, ReplicaError) async throws -> Void = { _, _, _ in }
  ) async throws -> Int {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let faults = try FaultyFolder(folder)
    let path = folder.appendingPathComponent("parks.replica").path
    let file = ReplicaFile(path: path, source: Self.source)
    _ = try await file.load()
    try await file.save(Self.step(from: .empty, to: before))
    faults.counts = [:]
    faults.plan = plan
    let step = Self.step(from: before, to: after)
    do throws(ReplicaError) {
      try await file.save(step)
      #expect(plan == nil || faults.plan?.failureCount == 0)
    } catch {
      try await check(path, faults, error)
    }
    return faults.count(of: [.write])
  }
}
