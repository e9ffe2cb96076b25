import ArgumentParser
import Foundation
import GitHistory
import ListDocuments
import ListModel
import ListStore
import LocalFiles
import SyncService
import Terminal

/// Every error of this program becomes a text and an exit code here, and nowhere else.
extension Failure {
  /// Nil for an error that is none of this package's.
  init?(_ error: any Error) {
    switch error {
    case let error as InputError: self.init(error)
    case let error as UnreadableFile:
      self.init(
        .failure, "cannot read \(error.path): \(Self.reason(error.error))",
        "Check the name and the permissions.")
    case let error as UnreadableDelta: self.init(error)
    case let error as OversizedFile: self.init(error)
    case let error as InvalidLimit: self.init(error)
    case let error as InvalidWait: self.init(error)
    case let error as RefusedBundle: self.init(error)
    case let error as UnwritableBundle: self.init(error)
    case let error as FileError: self.init(error)
    case let error as OutputError:
      self.init(
        .inputOutput,
        "cannot write the answer: \(error.reason)\(error.kept.map { "; \($0)" } ?? "")",
        error.kept.map { _ in "What was done is kept: it need not be done again." })
    case let error as GitError: self.init(error)
    case let error as RefusedCommit: self.init(error)
    case let error as ReplayError: self.init(error)
    case let error as MissingProgram: self.init(error)
    case let error as ServiceError: self.init(error)
    case let error as StoreError: self.init(error)
    case let error as VacuumError: self.init(error)
    default: return nil
    }
  }

  private init(_ error: UnreadableDelta) {
    let makeAnew =
      "Nothing was changed: make the delta with 'listsync delta' or 'listsync edit --dry-run'."
    self.init(
      .failure, "\(Self.name(of: error.file)): \(Output.shortened("\(error.error)"))",
      error.error.exceeded.map { Self.advice(on: $0.limit) } ?? makeAnew)
  }

  private init(_ error: MissingProgram) {
    self.init(
      .failure, "cannot start \(error.place): \(error.reason)",
      "Install \(error.name) beside listsync, or in a folder of PATH.")
  }

  private init(_ error: ReplayError) {
    let place = "\(error.list?.text ?? "list"), step to \(Wording.state(error.to))"
    self.init(
      .integrity, "\(place): \(error.error)", "Run 'listsync verify' to find the damaged version.")
  }
}
