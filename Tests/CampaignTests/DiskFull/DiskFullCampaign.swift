import FaultyFiles
import Foundation
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Campaign 6: a full disk refuses only calls that need room.
@Suite struct DiskFullCampaign {
  private static let acts: [FaultAct] =
    [.commit, .checkpointedCommit, .prune, .compact].map(FaultAct.onFiles)
    + [.commitAndWALCheckpoint, .applying, .importing, .backup]

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func fullDiskIsReportedAtEveryWriteAndReadersAndLaterWritersGoOn() async throws {
    let campaign = Campaign("disk full")
    var random = campaign.random()
    var (trialCount, refusalCount) = (0, 0)
    for act in Self.acts {
      let trial = try await FaultTrial(act)
      let count = trial.count(of: [.write, .growSharedMemory])
      let stride = max(1, count / campaign.rounds(1, long: .max))
      for number in Swift.stride(
        from: .random(in: 1...stride, using: &random), through: count, by: stride)
      {
        trialCount += 1
        do {
          refusalCount += try await trial.runOnFullDisk(at: number) ? 1 : 0
        } catch {
          Issue.record("\(act.name), full at write \(number): \(error)")
        }
      }
    }
    #expect(refusalCount > 0)
    campaign.report("\(Self.acts.count) acts, \(trialCount) full disks, \(refusalCount) refusals")
  }

  @Test func closedStoreIsReadableWithoutRoomForSharedMemory() async throws {
    let subject = try await Self.closedStore()
    let answers = try await StoreAnswers(of: subject.service)
    subject.store = nil
    subject.faults.plan = .diskFull(at: 1)
    do {
      let reader = SyncService(store: try SQLiteStore(readingFrom: subject.path)) { TestStore.noon }
      #expect(try await StoreAnswers(of: reader) == answers)
      #expect(try await reader.verify(depth: .everything).faults == [])
    }
    #expect(subject.faults.plan?.failureCount ?? 0 > 0)
    #expect(throws: StoreError.diskFull) {
      try SQLiteStore(path: subject.path, ifAbsent: .create)
    }
    subject.faults.plan = nil
    _ = try await subject.service.commit(.init(list: .parks, snapshot: .of("z")))
    #expect(try await subject.service.snapshot(of: .parks).snapshot == .of("z"))
  }

  @Test func leftoverWALIsReadableWithoutRoomForSharedMemory() async throws {
    let left = try await Self.closedStore()
    _ = try await left.service.commit(.init(list: .parks, snapshot: .of("only in the log")))
    let subject = try left.afterProcessEnd()
    subject.faults.plan = .diskFull(at: 1)
    let reader = SyncService(store: try SQLiteStore(readingFrom: subject.path)) { TestStore.noon }
    #expect(try await StoreAnswers(of: reader) == StoreAnswers(of: left.service))
    #expect(subject.faults.plan?.failureCount ?? 0 > 0)
  }

  private static func closedStore() async throws -> FaultSubject {
    let subject = try FaultSubject()
    for texts in [["a"], ["a", "b"], ["b=1", "a"]] {
      _ = try await subject.service.commit(.init(list: .parks, snapshot: .of(texts)))
    }
    subject.store = nil
    return subject
  }
}
