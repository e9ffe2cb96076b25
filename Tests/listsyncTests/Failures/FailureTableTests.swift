import ListStore
import SyncClient
import Testing

@testable import listsync

/// The table of all errors of `listsync`: `Tests/Fixtures/failures.txt`.
struct FailureTableTests {
  private func table() throws -> FailureTable {
    FailureTable(
      rows: try FailureSamples.all.map { name, error in
        // The store that another test has opened is in no row.
        let failure = (error as? StoreError).map { Failure($0, opened: nil) } ?? Failure(error)
        return (name, try #require(failure, "\(name) has no failure"))
      }
        + FailureSamples.ofServers.map { error in
          ("\(FailureTable.name(of: error)) of a server", Failure(error, opened: "postgresql://h"))
        })
  }

  @Test func textsExitCodesAndAdviceOfAllErrorsAreTheKeptOnes() throws {
    try table().expectEqual(to: "failures.txt")
  }

  @Test(arguments: [
    ("VerbError", "listsync/Failure/VerbError.swift"), ("GitError", "GitHistory/GitError.swift"),
    ("StoreError", "ListStore/StoreError.swift"),
    ("ServiceError", "SyncService/ServiceError.swift"),
    ("ExportError", "SQLExport/ExportError.swift"), ("FileError", "LocalFiles/FileError.swift"),
    ("SnapshotError", "ListDocuments/Snapshots/SnapshotError.swift"),
    ("EditError", "ListDocuments/Edits/EditError.swift"),
    ("DeltaError", "ListDocuments/Deltas/DeltaDocument+Apply.swift"),
    ("ProofError", "ListDocuments/Proofs/ListProof.swift"), ("GzipError", "Gzip/GzipError.swift"),
  ])
  func everyCaseOfAnErrorIsInTheTable(_ name: String, _ path: String) throws {
    try table().expectAllCases(of: name, in: path)
  }

  /// Errors that say all by themselves, or whose cause has no remedy.
  private let withoutAdvice = [
    "GitError.cannotRun", "ServiceError.noVersionAt", "StoreError.database", "OutputError",
    "ReplicaError.otherSource",
  ]

  @Test func everyOtherErrorSaysWhatToDo() throws {
    for (name, failure) in try table().rows where !withoutAdvice.contains(name) {
      #expect(failure.advice?.isEmpty == false, "\(name) has no advice")
    }
  }
}
