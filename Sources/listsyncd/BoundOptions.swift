import ArgumentParser
import Logging

/// The bounds of a server.
struct BoundOptions: ParsableArguments {
  @Option(
    name: .customLong("max-body"),
    help: ArgumentHelp("The longest body of a request, in bytes.", valueName: "bytes"))
  var bodyByteCount = 64 << 20
  @Option(
    name: .customLong("max-connections"),
    help: ArgumentHelp(
      "How many connections are open at once; further ones wait until one ends.",
      valueName: "count"))
  var connectionCount = 8192
  @Option(
    name: .customLong("idle-timeout"),
    help: ArgumentHelp(
      """
      How long a connection may send nothing before it is closed. A reader may accept nothing for \
      as long, but at least for 120 seconds.
      """, valueName: "seconds"))
  var idleSeconds = 60
  @Option(
    name: .customLong("shutdown-timeout"),
    help: ArgumentHelp(
      "How long the requests in progress may take when the server ends.", valueName: "seconds"))
  var shutdownSeconds = 30
  @Option(
    help: """
      The level of the log on standard error: \
      \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")); info shows failures and \
      the requests that change lists, debug shows every request.
      """,
    transform: { text in
      guard let level = Logger.Level(rawValue: text) else {
        throw ValidationError("'\(text)' is not a level.")
      }
      return level
    })
  var logLevel = Logger.Level.info

  func validate() throws {
    for (name, value) in [
      ("--max-body", bodyByteCount), ("--max-connections", connectionCount),
      ("--idle-timeout", idleSeconds), ("--shutdown-timeout", shutdownSeconds),
    ] where value < 1 {
      throw ValidationError("\(name): the number must be 1 or more.")
    }
  }
}
