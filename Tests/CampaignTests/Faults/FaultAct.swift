import Foundation
import GRDB
import StoreTestSupport
import TestSupport

@testable import ListStore
@testable import SQLiteStore
@testable import SyncService

/// An act on a store while its files fail. Running it twice has the effect of running it once.
struct FaultAct: Sendable {
  let name: String
  /// Makes the files that the store starts with; nil if there are none.
  let makeBase: (@Sendable (FaultSubject) async throws -> Void)?
  /// Whether the files are those of a killed process, with a write-ahead log still to be played
  /// back.
  var leavesLog = false
  /// Runs before anything fails.
  var setUp: @Sendable (FaultSubject) async throws -> Void = { _ = try $0.opened() }
  /// Whether the act happens completely or not at all.
  var isOneTransaction = true
  let run: @Sendable (FaultSubject) async throws -> Void
}

/// Thrown when a backup was not made because its copy could not be read completely.
struct RefusedBackup: Error {
  let faults: [VerificationReport.Fault]
}

extension FaultAct {
  static let all =
    ServiceAct.all.map(onFiles) + [
      commitAndWALCheckpoint, vacuum, backup, creation, migration, opening, reading, closing,
    ]

  private static let smallHistory: @Sendable (FaultSubject) async throws -> Void = { subject in
    try await ServiceAct.makeHistory(subject.service)
  }

  static func onFiles(_ act: ServiceAct) -> FaultAct {
    FaultAct(name: act.name, makeBase: smallHistory) { try await act.run($0.service) }
  }

  private static let commitNext: @Sendable (FaultSubject) async throws -> Void = { subject in
    try await ServiceAct.commit.run(subject.service)
  }

  static let commitAndWALCheckpoint = FaultAct(
    name: "commit with a WAL checkpoint", makeBase: smallHistory,
    setUp: { subject in
      try await subject.opened().withoutTransaction {
        try $0.execute(sql: "PRAGMA wal_autocheckpoint = 1")
      }
    }, run: commitNext)

  static let vacuum = FaultAct(
    name: "vacuum",
    makeBase: { subject in
      try await smallHistory(subject)
      try await subject.service.prune(keepLast: 1)
    },
    run: { subject in _ = try await subject.opened().vacuum() })

  /// Replaces an older backup.
  static let backup = FaultAct(
    name: "backup", makeBase: smallHistory,
    setUp: { subject in
      try await makeBackup(subject)
      try await commitNext(subject)
    }, run: makeBackup)

  private static let makeBackup: @Sendable (FaultSubject) async throws -> Void = { subject in
    let report = try await Backup(
      of: subject.opened(), to: subject.backupPath, replaces: true
    ).run()
    guard report.verification.faults.isEmpty else {
      throw RefusedBackup(faults: report.verification.faults)
    }
  }

  static let creation = FaultAct(
    name: "creation", makeBase: nil, setUp: { _ in },
    run: { subject in _ = try subject.opened() })

  static let migration = FaultAct(
    name: "migration", makeBase: smallHistory,
    setUp: { $0.migrations = LaterSchema.migrations },
    run: { subject in _ = try subject.opened() })

  static let opening = FaultAct(
    name: "opening", makeBase: smallHistory, leavesLog: true, setUp: { _ in },
    run: { subject in _ = try subject.opened() })

  static let reading = FaultAct(
    name: "reading", makeBase: smallHistory, leavesLog: true, setUp: { _ in },
    run: { subject in
      let service = SyncService(store: try SQLiteStore(readingFrom: subject.path)) {
        TestStore.noon
      }
      _ = try await StoreAnswers(of: service)
    })

  /// The last connection plays the write-ahead log into the file when it closes.
  static let closing = FaultAct(
    name: "closing", makeBase: smallHistory, setUp: commitNext,
    run: { subject in subject.store = nil })
}
