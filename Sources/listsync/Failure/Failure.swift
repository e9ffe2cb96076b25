import ArgumentParser
import Foundation
import GitHistory
import ListDocuments
import ListModel
import ListStore
import SyncClient
import SyncService

/// Every error becomes a text and an exit code here, and nowhere else. The text says what is wrong,
/// where, and what to do now.
struct Failure {
  /// As `listsync --help` lists them.
  enum Code: Int32 {
    case failure = 1
    case usage = 2
    case notFound = 3
    case expectation = 4
    case diverged = 5
    case integrity = 6
    case busy = 7
    case inputOutput = 8
  }

  let code: Code
  let message: String
  let advice: String?

  init(_ code: Code, _ message: String, _ advice: String? = nil) {
    self.code = code
    self.message = message
    self.advice = advice
  }

  /// Tells the error on standard error, and returns the exit code.
  static func report(_ error: any Error) -> Int32 {
    if let exit = error as? ExitCode { return exit.rawValue }
    guard let failure = Failure(error) else { return reportParsing(error) }
    Output.note("listsync: \(failure.message)")
    if let advice = failure.advice { Output.note("\(advice)") }
    return failure.code.rawValue
  }

  /// What ArgumentParser throws: help that was asked for, or words that it does not know.
  private static func reportParsing(_ error: any Error) -> Int32 {
    let text = ListSync.fullMessage(for: error)
    if ListSync.exitCode(for: error).isSuccess {
      if !text.isEmpty { try? Output.line(text) }
      return 0
    }
    Output.note(text)
    let isUsage = ListSync.exitCode(for: error) == .validationFailure
    return isUsage ? Code.usage.rawValue : Code.failure.rawValue
  }

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
    case let error as UnwritableFile: self.init(error)
    case let error as OutputError:
      self.init(.inputOutput, "cannot write the answer: \(error.reason)")
    case let error as GitError: self.init(error)
    case let error as RefusedCommit: self.init(error)
    case let error as ReplayError: self.init(error)
    case let error as ReplicaError: self.init(error)
    case let error as ServiceError: self.init(error)
    case let error as StoreError: self.init(error)
    case let error as VacuumError: self.init(error)
    default: return nil
    }
  }

  static func reason(_ error: any Error) -> String {
    let error = error as NSError
    let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    guard underlying.domain == NSPOSIXErrorDomain else {
      return error.localizedDescription
    }
    return String(cString: strerror(Int32(underlying.code)))
  }

  private init(_ error: UnreadableDelta) {
    let makeAnew =
      "Nothing was changed: make the delta with 'listsync delta' or 'listsync edit --dry-run'."
    self.init(
      .failure, "\(Self.name(of: error.file)): \(Output.shortened("\(error.error)"))",
      error.error.exceeded.map { Self.advice(on: $0.limit) } ?? makeAnew)
  }

  private init(_ error: ReplayError) {
    let place = "\(error.list?.text ?? "list"), step to \(Wording.state(error.to))"
    self.init(
      .integrity, "\(place): \(error.error)", "Run 'listsync verify' to find the damaged version.")
  }
}
