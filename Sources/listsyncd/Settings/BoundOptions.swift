import ArgumentParser
import ListModel

/// The bounds of a server.
struct BoundOptions: ParsableArguments {
  @Option(
    name: .customLong("max-body"),
    help: ArgumentHelp(
      "The longest body of a request, in bytes. (default: 67108864)", valueName: "bytes"),
    transform: wholeNumber(in: 1...1 << 40))
  var bodyByteCount = 64 << 20
  @Option(
    name: .customLong("max-connections"),
    help: ArgumentHelp(
      "How many connections are open at once; further ones wait until one ends. (default: 8192)",
      valueName: "count"),
    transform: wholeNumber(in: 1...1 << 30))
  var connectionCount = 8192
  @Option(
    name: .customLong("idle-timeout"),
    help: ArgumentHelp(
      """
      How long a connection may send nothing before it is closed. A reader may accept nothing for \
      as long, but at least for 120 seconds. (default: 60)
      """, valueName: "seconds"), transform: wholeNumber(in: 1...secondsOfAYear))
  var idleSeconds = 60
  @Option(
    name: .customLong("shutdown-timeout"),
    help: ArgumentHelp(
      "How long the requests in progress may take when the server ends. (default: 30)",
      valueName: "seconds"),
    transform: wholeNumber(in: 1...secondsOfAYear))
  var shutdownSeconds = 30

  private static let secondsOfAYear = 31_536_000
}

/// The limits of commits; nil for the default.
struct LimitOptions: ParsableArguments {
  @Option(name: .customLong("max-items"), help: help(.items), transform: number(.items))
  var items: Int?
  @Option(
    name: .customLong("max-item-bytes"), help: help(.itemBytes), transform: number(.itemBytes))
  var itemBytes: Int?
  @Option(name: .customLong("max-id-bytes"), help: help(.idBytes), transform: number(.idBytes))
  var idBytes: Int?
  @Option(
    name: .customLong("max-commit-bytes"), help: help(.commitBytes), transform: number(.commitBytes)
  )
  var commitBytes: Int?
  @Option(
    name: .customLong("max-line-bytes"), help: help(.lineBytes), transform: number(.lineBytes))
  var lineBytes: Int?
  @Option(name: .customLong("max-depth"), help: help(.depth), transform: number(.depth))
  var depth: Int?

  var limits: Limits {
    var limits = Limits.standard
    for limit in Limit.allCases {
      if let value = self[limit] { limits[limit] = value }
    }
    return limits
  }

  private subscript(limit: Limit) -> Int? {
    switch limit {
    case .items: items
    case .itemBytes: itemBytes
    case .idBytes: idBytes
    case .commitBytes: commitBytes
    case .lineBytes: lineBytes
    case .depth: depth
    }
  }

  private static func help(_ limit: Limit) -> ArgumentHelp {
    ArgumentHelp("The limit of \(limit.meaning). (default: \(limit.standard))", valueName: "number")
  }

  private static func number(_ limit: Limit) -> @Sendable (String) throws -> Int {
    wholeNumber(in: 1...limit.highest)
  }
}
