import ArgumentParser
import Logging

/// The log on standard error.
struct LogOptions: ParsableArguments {
  @Option(
    name: .customLong("log-level"),
    help: ArgumentHelp(
      """
      The least level of the lines: \(levels); info has failures and the requests that change \
      lists, debug has every request. (default: info)
      """, valueName: "level"),
    transform: { text in
      guard let level = Logger.Level(rawValue: text) else {
        throw ValidationError("write one of \(levels).")
      }
      return level
    })
  var level = Logger.Level.info
  @Option(
    name: .customLong("log-format"),
    help: ArgumentHelp("The form of a line: text, or a JSON object.", valueName: "format"))
  var format = LogFormat.text

  private static let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
}

extension LogFormat: ExpressibleByArgument {}
