import ArgumentParser
import ListDocuments
import ListModel
import Terminal

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

  private struct Row {
    let name: String
    let value: Int
    let standard: Int
    let highest: Int
    /// Nil for a fixed limit.
    let variable: String?
    let meaning: String
  }

  private static func rows() throws -> [Row] {
    let limits = try Settings.limits()
    let settable = Limit.allCases.map { limit in
      Row(
        name: limit.rawValue, value: limits[limit], standard: limit.standard,
        highest: limit.highest, variable: limit.variable, meaning: limit.meaning)
    }
    let wait = Row(
      name: "wait", value: try StoreOptions.waitSeconds(), standard: BusyWait.standardSeconds,
      highest: BusyWait.highestSeconds, variable: BusyWait.variable,
      meaning: "seconds to wait for another process's write")
    let fixed = FixedLimit.all.map { limit in
      Row(
        name: limit.name, value: limit.value, standard: limit.value, highest: limit.value,
        variable: nil, meaning: limit.meaning)
    }
    return settable + [wait] + fixed
  }
}
