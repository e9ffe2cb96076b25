import ArgumentParser
import Foundation
import ListDocuments
import ListModel

/// An error as text and exit code. The text states the error, its place and the next step.
///
/// Each program maps its own errors to failures in one place.
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

    /// The kind of all errors with this code; nil if they have several kinds.
    var problem: ProblemKind? {
      switch self {
      case .usage: .invalidRequest
      case .notFound: .notFound
      case .expectation: .preconditionFailed
      case .busy: .busy
      case .failure, .diverged, .integrity, .inputOutput: nil
      }
    }
  }

  let code: Code
  /// The kind with which a server answers the same error; nil if a server has none.
  let problem: ProblemKind?
  var message: String
  var advice: String?
  /// Lines between the message and the advice.
  var details: [String] = []
  /// Writes what the details say as members of the problem document.
  var members: (inout JSONWriter) -> Void = { _ in }

  init(
    _ code: Code, _ message: String, _ advice: String? = nil, problem: ProblemKind? = nil
  ) {
    self.code = code
    self.problem = problem ?? code.problem
    self.message = message
    self.advice = advice
  }

  /// A row of a table of errors: the exit code and the advice. The error itself has the text.
  struct Row {
    fileprivate let code: Code
    fileprivate let advice: String?

    private init(_ code: Code, _ advice: String?) { (self.code, self.advice) = (code, advice) }

    static func failure(_ advice: String?) -> Row { Row(.failure, advice) }
    static func usage(_ advice: String?) -> Row { Row(.usage, advice) }
    static func notFound(_ advice: String?) -> Row { Row(.notFound, advice) }
    static func diverged(_ advice: String?) -> Row { Row(.diverged, advice) }
    static func integrity(_ advice: String?) -> Row { Row(.integrity, advice) }
    static func busy(_ advice: String?) -> Row { Row(.busy, advice) }
    static func inputOutput(_ advice: String?) -> Row { Row(.inputOutput, advice) }
  }

  init(_ message: String, _ row: Row, problem: ProblemKind? = nil) {
    self.init(row.code, message, row.advice, problem: problem)
  }

  /// Writes an error to standard error, and returns the exit code.
  ///
  /// - Parameters:
  ///   - failure: the error as a failure; nil for an error that the program does not define.
  ///   - program: the root of the commands.
  ///   - verb: the command whose usage is shown after a usage error; nil if none was recognised.
  ///   - isJSON: whether to write a problem document (RFC 9457) on one line.
  static func report(
    _ error: any Error, as failure: Failure?, of program: any ParsableCommand.Type,
    verb: (any ParsableCommand.Type)? = nil, isJSON: Bool
  ) -> Int32 {
    if let exit = error as? ExitCode { return exit.rawValue }
    guard let failure else { return reportParsing(error, program, verb, isJSON) }
    if isJSON {
      Output.problem(failure.document)
    } else {
      Output.diagnostic("listsync: \(failure.message)")
      for line in failure.details { Output.diagnostic(line) }
      if let advice = failure.advice { Output.diagnostic(advice) }
    }
    return failure.code.rawValue
  }

  /// The problem document, with the advice and the exit code as members of its own.
  var document: [UInt8] {
    JSONWriter.object { writer in
      if let problem { writer.members(of: problem) }
      writer.member("detail", Output.printableLines(message))
      if let advice { writer.member("advice", Output.printableLines(advice)) }
      members(&writer)
      writer.member("exit_code", Int(code.rawValue))
    }
  }

  /// Reports an error of ArgumentParser: a request for help, or a usage error.
  private static func reportParsing(
    _ error: any Error, _ program: any ParsableCommand.Type, _ verb: (any ParsableCommand.Type)?,
    _ isJSON: Bool
  ) -> Int32 {
    var text = program.fullMessage(for: error)
    if program.exitCode(for: error).isSuccess {
      if !text.isEmpty { try? Output.line(text) }
      return 0
    }
    let code: Code = program.exitCode(for: error) == .validationFailure ? .usage : .failure
    let bare = program.message(for: error)
    let message = bare + hint(bare)
    text = text.replacingOccurrences(of: bare, with: message)
    if let verb, code == .usage {
      // An error after parsing does not know its verb.
      let usage = program.usageString(for: verb)
      let name = usage.prefix { $0 != "<" && $0 != "[" }.trimmingCharacters(in: .whitespaces)
      text = "Error: \(message)\nUsage: \(usage)\n  See '\(name) --help' for more information."
    }
    guard isJSON else {
      Output.diagnostic(text)
      return code.rawValue
    }
    let usage = text.range(of: "Usage: ").map { String(text[$0.lowerBound...]) }
    Output.problem(Failure(code, message, usage).document)
    return code.rawValue
  }
}

extension Failure {
  /// The advice for a value that begins with a dash, such as an id.
  ///
  /// - Parameter message: the error of ArgumentParser, which takes such a value for an option.
  private static func hint(
    _ message: String, _ words: [String] = Array(CommandLine.arguments.dropFirst())
  ) -> String {
    for (option, value) in zip(words, words.dropFirst())
    where option.hasPrefix("--") && value.hasPrefix("-") && value != "-" {
      guard message.hasPrefix("Missing value for '\(option) ") else { continue }
      let value = value.shortened
      return ". If \(value) is the value, write \(option)=\(value)"
    }
    return ""
  }

  /// The system's description of an error.
  static func reason(_ error: any Error) -> String {
    let error = error as NSError
    let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    guard underlying.domain == NSPOSIXErrorDomain else {
      return error.localizedDescription
    }
    return String(cString: strerror(Int32(underlying.code)))
  }

  init(_ error: InvalidSetting) {
    self.init(
      .usage, Output.shortened("\(error)"),
      "Set such a number, or unset it for \(error.standard). 'listsync limits' shows all.")
  }

  /// How to raise the limit that an error names; nil if it names none.
  static func advice(on exceeded: ExceededLimit?) -> String? {
    exceeded.map { advice(on: $0.limit) }
  }

  /// How to raise a limit.
  static func advice(on limit: Limit) -> String {
    if limit.standard == limit.highest {
      return "This limit cannot be raised. 'listsync limits' shows all limits."
    }
    return """
      Set \(limit.variable)=NUMBER to raise this limit, up to \(limit.highest). \
      'listsync limits' shows all limits.
      """
  }
}
