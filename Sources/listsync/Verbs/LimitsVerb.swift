import ArgumentParser
import ListDocuments
import ListModel

struct LimitsVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limits",
    abstract: "Shows the limits of input, and how to change them.",
    discussion: """
      Limits apply to input only: everything that the store already has stays readable. An \
      environment variable sets each limit.

      EXAMPLE
        listsync limits
        LISTSYNC_MAX_ITEM_BYTES=1000 listsync limits --json
      """)

  @OptionGroup var answer: AnswerOptions

  func run() throws {
    let rows = try Self.rows()
    if answer.isJSON {
      return try JSONArrayOutput.write(rows) { writer, row in
        writer.member("limit", row.name)
        writer.member("value", row.value)
        writer.member("default", row.standard)
        writer.member("highest", row.highest)
        writer.member("variable", row.variable)
        writer.member("meaning", row.meaning)
      }
    }
    let cells = rows.map { row in
      [
        row.name, "\(row.value)", "\(row.standard)", "\(row.highest)", row.variable ?? "(fixed)",
        row.meaning,
      ]
    }
    let header = ["limit", "value", "default", "highest", "variable", "meaning"]
    try Table(rows: [header] + cells, paddedCount: 5, numbers: 1...3).write()
  }

  /// A fixed limit has no variable.
  private typealias Row = (
    name: String, value: Int, standard: Int, highest: Int, variable: String?, meaning: String
  )

  private static func rows() throws -> [Row] {
    let limits = try Settings.limits()
    let settable: [Row] = Limit.allCases.map {
      ($0.rawValue, limits[$0], $0.standard, $0.highest, $0.variable, $0.meaning)
    }
    let wait: Row = (
      "wait", try StoreArguments.waitSeconds(), BusyWait.standardSeconds, BusyWait.highestSeconds,
      BusyWait.variable, "seconds to wait for another process's write"
    )
    let fixed: [Row] = FixedLimit.all.map {
      ($0.name, $0.value, $0.value, $0.value, nil, $0.meaning)
    }
    return settable + [wait] + fixed
  }
}
