import FaultyFiles
import Foundation
import GRDB
import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import ListStore
@testable import SQLiteStore

/// An act, with a store's answers before and after it.
struct FaultTrial {
  let act: FaultAct
  /// The files that the act starts with; nil if there are none.
  private let base: FaultSubject?
  let before: StoreState
  let after: StoreState
  private let backups: (before: StoreAnswers?, after: StoreAnswers?)
  /// The number of file operations of the act without faults.
  private let counts: [FileOperation: Int]

  init(_ act: FaultAct) async throws {
    self.act = act
    base = try await Self.makeBase(act)
    let subject = try FaultSubject(from: base?.folder)
    try await act.setUp(subject)
    before = try await subject.afterProcessEnd().soundState()
    let oldBackup = try await subject.backupAnswers()
    subject.faults.counts = [:]
    try await act.run(subject)
    counts = subject.faults.counts
    after = try await subject.soundState()
    backups = (oldBackup, try await subject.backupAnswers())
  }

  private static func makeBase(_ act: FaultAct) async throws -> FaultSubject? {
    guard let makeBase = act.makeBase else { return nil }
    let made = try FaultSubject()
    try await makeBase(made)
    if act.leavesLog { return try made.afterProcessEnd() }
    made.store = nil
    return made
  }

  /// The number of operations of some kinds in the act without faults.
  func count(of operations: Set<FileOperation>) -> Int {
    counts.reduce(0) { $0 + (operations.contains($1.key) ? $1.value : 0) }
  }

  /// A store before the act.
  func subject() throws -> FaultSubject { try FaultSubject(from: base?.folder) }

  /// The result of an act.
  struct Outcome {
    var failureCount = 0
    var error: (any Error)?
    /// Whether the store has the state after the act, although the act reported an error.
    var isDoneAllTheSame = false
  }

  /// Runs the act while files fail, and checks the result.
  func run(_ kind: FaultKind, at number: Int) async throws -> Outcome {
    let context = Comment(rawValue: "\(act.name), \(kind.rawValue) at \(number)")
    let subject = try subject()
    try await act.setUp(subject)
    subject.faults.plan = kind.plan(at: number)
    var outcome = Outcome()
    do {
      try await act.run(subject)
    } catch {
      outcome.error = error
      #expect(Self.isClear(error), "\(context): \(error)")
    }
    if kind == .suddenEnd { subject.store = nil }
    #expect(kind != .suddenEnd || subject.faults.openFileCount == 0, context)
    outcome.failureCount = subject.faults.plan?.failureCount ?? 0
    subject.faults.plan = nil
    outcome.isDoneAllTheSame = try await checkNextProcess(subject, outcome, context)
    if kind != .suddenEnd { try await checkSameStore(subject, outcome, context) }
    return outcome
  }

  /// Whether an error names the cause, and does not blame the store.
  private static func isClear(_ error: any Error) -> Bool {
    switch error {
    case StoreError.inputOutput, StoreError.cannotOpen, StoreError.notCopied, StoreError.readOnly:
      true
    // A system reports in this way that shared memory cannot grow.
    case StoreError.diskFull: true
    case let refused as RefusedBackup:
      refused.faults.allSatisfy { fault in
        ["disk I/O error", "unable to get the page", "failed to get page"].contains {
          fault.reason.contains($0)
        }
      }
    default: false
    }
  }

  /// Checks the state that a new process finds, and that it can run the act.
  private func checkNextProcess(
    _ subject: FaultSubject, _ outcome: Outcome, _ context: Comment
  ) async throws -> Bool {
    let next = try subject.afterProcessEnd()
    let state = try await next.soundState()
    let isDone = state == after
    #expect(isDone || (outcome.error != nil && state == before), context)
    let backup = try await next.backupAnswers()
    #expect(
      backup == backups.after || (outcome.error != nil && backup == backups.before), context)
    try await act.setUp(next)
    try await act.run(next)
    #expect(try await next.soundState() == after, context)
    return isDone && outcome.error != nil && before != after
  }

  /// Checks that a program can continue with its open store, without a restart.
  private func checkSameStore(
    _ subject: FaultSubject, _ outcome: Outcome, _ context: Comment
  ) async throws {
    #expect(try subject.strayNames() == [], context)
    let state = try await subject.soundState()
    #expect(state == after || (outcome.error != nil && state == before), context)
    try await act.run(subject)
    #expect(try await subject.soundState() == after, context)
    let next = try Snapshot.of("next", "a=9")
    var request = CommitRequest(list: .parks, snapshot: next)
    request.beginsAgain = true
    _ = try await subject.service.commit(request)
    #expect(try await subject.service.snapshot(of: .parks).snapshot == next, context)
    #expect(try await subject.service.verify(depth: .everything).faults == [], context)
  }
}

extension FaultSubject {
  /// The state of the store, which must be sound.
  fileprivate func soundState() async throws -> StoreState {
    let service = try service
    #expect(try await service.verify(depth: .everything).faults == [])
    return try await StoreState(of: opened(), service)
  }

  /// The answers of the backup; nil if there is none.
  fileprivate func backupAnswers() async throws -> StoreAnswers? {
    guard FileManager.default.fileExists(atPath: backupPath) else { return nil }
    let service = SyncService(store: try SQLiteStore(readingFrom: backupPath)) { TestStore.noon }
    #expect(try await service.verify(depth: .everything).faults == [])
    return try await StoreAnswers(of: service)
  }
}

/// A store's answers, and its pending checkpoints, which are written with a version.
struct StoreState: Equatable {
  let answers: StoreAnswers
  private let checkpoints: [String]

  init(of store: SQLiteStore, _ service: SyncService) async throws {
    answers = try await StoreAnswers(of: service)
    checkpoints = try await store.readers().read { db in
      try String.fetchAll(
        db, sql: "SELECT DISTINCT list_id || ' ' || version FROM checkpoints ORDER BY 1")
    }
  }
}
