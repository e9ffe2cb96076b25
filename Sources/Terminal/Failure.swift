import ArgumentParser
import Foundation
import ListModel

/// An error as text and exit code. The text says what is wrong, where, and what to do now.
///
/// Each program makes its own errors into failures in one place.
package struct Failure {
  /// As `listsync --help` lists them.
  package enum Code: Int32 {
    case failure = 1
    case usage = 2
    case notFound = 3
    case expectation = 4
    case diverged = 5
    case integrity = 6
    case busy = 7
    case inputOutput = 8
  }

  package let code: Code
  package let message: String
  package let advice: String?

  package init(_ code: Code, _ message: String, _ advice: String? = nil) {
    self.code = code
    self.message = message
    self.advice = advice
  }

  /// Tells an error on standard error, and returns the exit code.
  ///
  /// - Parameters:
  ///   - failure: what the program makes of the error; nil where the error is not its own.
  ///   - program: its usage is shown for words that it does not know.
  package static func report(
    _ error: any Error, as failure: Failure?, of program: any ParsableCommand.Type
  ) -> Int32 {
    if let exit = error as? ExitCode { return exit.rawValue }
    guard let failure else { return reportParsing(error, program) }
    Output.note("listsync: \(failure.message)")
    if let advice = failure.advice { Output.note("\(advice)") }
    return failure.code.rawValue
  }

  /// What ArgumentParser throws: help that was asked for, or words that it does not know.
  private static func reportParsing(
    _ error: any Error, _ program: any ParsableCommand.Type
  ) -> Int32 {
    let text = program.fullMessage(for: error)
    if program.exitCode(for: error).isSuccess {
      if !text.isEmpty { try? Output.line(text) }
      return 0
    }
    Output.note(text)
    let isUsage = program.exitCode(for: error) == .validationFailure
    return isUsage ? Code.usage.rawValue : Code.failure.rawValue
  }
}

extension Failure {
  /// The system's own words for an error, where it has some.
  package static func reason(_ error: any Error) -> String {
    let error = error as NSError
    let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    guard underlying.domain == NSPOSIXErrorDomain else {
      return error.localizedDescription
    }
    return String(cString: strerror(Int32(underlying.code)))
  }

  package init(_ error: InvalidLimit) {
    self.init(
      .usage, Output.shortened("\(error)"),
      "Set it so, or unset it for \(error.limit.standard); 'listsync limits' shows what holds.")
  }

  /// How a limit is raised.
  package static func advice(on limit: Limit) -> String {
    if limit.standard == limit.highest {
      return "Nothing was changed: nobody can raise this limit; 'listsync limits' shows all."
    }
    return """
      Nothing was changed: \(limit.variable)=NUMBER raises this limit, to \(limit.highest) at the \
      most; 'listsync limits' shows all.
      """
  }
}
