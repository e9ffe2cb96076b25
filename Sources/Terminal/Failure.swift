import ArgumentParser
import Foundation
import ListModel

/// An error as text and exit code. The text states the error, its place and the next step.
///
/// Each program maps its own errors to failures in one place.
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

  /// Writes an error to standard error, and returns the exit code.
  ///
  /// - Parameters:
  ///   - failure: the error as a failure; nil for an error that the program does not define.
  ///   - program: the command whose usage is shown after a usage error.
  package static func report(
    _ error: any Error, as failure: Failure?, of program: any ParsableCommand.Type
  ) -> Int32 {
    if let exit = error as? ExitCode { return exit.rawValue }
    guard let failure else { return reportParsing(error, program) }
    Output.diagnostic("listsync: \(failure.message)")
    if let advice = failure.advice { Output.diagnostic(advice) }
    return failure.code.rawValue
  }

  /// Reports an error of ArgumentParser: a request for help, or a usage error.
  private static func reportParsing(
    _ error: any Error, _ program: any ParsableCommand.Type
  ) -> Int32 {
    let text = program.fullMessage(for: error)
    if program.exitCode(for: error).isSuccess {
      if !text.isEmpty { try? Output.line(text) }
      return 0
    }
    Output.diagnostic(text)
    let isUsage = program.exitCode(for: error) == .validationFailure
    return isUsage ? Code.usage.rawValue : Code.failure.rawValue
  }
}

extension Failure {
  /// The system's description of an error.
  package static func reason(_ error: any Error) -> String {
    let error = error as NSError
    let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    guard underlying.domain == NSPOSIXErrorDomain else {
      return error.localizedDescription
    }
    return String(cString: strerror(Int32(underlying.code)))
  }

  package init(_ error: InvalidSetting) {
    self.init(
      .usage, Output.shortened("\(error)"),
      "Set such a number, or unset it for \(error.standard). 'listsync limits' shows all.")
  }

  /// How to raise a limit.
  package static func advice(on limit: Limit) -> String {
    if limit.standard == limit.highest {
      return "Nothing was changed. This limit cannot be raised. 'listsync limits' shows all limits."
    }
    return """
      Nothing was changed. Set \(limit.variable)=NUMBER to raise this limit, up to \
      \(limit.highest). 'listsync limits' shows all limits.
      """
  }
}
