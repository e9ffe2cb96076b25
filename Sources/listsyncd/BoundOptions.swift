import ArgumentParser
import Logging

/// How much a server takes on.
struct BoundOptions: ParsableArguments {
  @Option(
    name: .customLong("max-body"),
    help: ArgumentHelp("How many bytes a request's body may have.", valueName: "bytes"))
  var bodyByteCount = 64 << 20
  @Option(
    name: .customLong("max-connections"),
    help: ArgumentHelp(
      "How many connections are open at once; more wait until one ends.", valueName: "count"))
  var connectionCount = 8192
  @Option(
    name: .customLong("idle-timeout"),
    help: ArgumentHelp(
      """
      How long a connection may send nothing before it is closed; it may take nothing of an answer \
      for as long, and for 120 seconds at least.
      """, valueName: "seconds"))
  var idleSeconds = 60
  @Option(
    name: .customLong("shutdown-timeout"),
    help: ArgumentHelp(
      "How long requests that have begun may take when the server ends.", valueName: "seconds"))
  var shutdownSeconds = 30
  @Option(
    help: """
      What is logged to standard error: \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")); \
      info has what changes lists and what fails, debug every request.
      """,
    transform: BoundOptions.readLevel)
  var logLevel = Logger.Level.info

  func validate() throws {
    for (name, value) in [
      ("--max-body", bodyByteCount), ("--max-connections", connectionCount),
      ("--idle-timeout", idleSeconds), ("--shutdown-timeout", shutdownSeconds),
    ] where value < 1 {
      throw ValidationError("\(name): the number must be 1 or more.")
    }
  }

  private static func readLevel(_ text: String) throws -> Logger.Level {
    guard let level = Logger.Level(rawValue: text) else {
      throw ValidationError("'\(text)' is not a level.")
    }
    return level
  }
}
