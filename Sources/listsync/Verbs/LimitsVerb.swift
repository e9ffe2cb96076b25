import ArgumentParser
import ListDocuments
import ListModel
import Terminal

struct LimitsVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limits",
    abstract: "Shows how large input may be, and how to change that.",
    discussion: """
      Limits hold where something comes in: what the store already has is answered whatever they \
      are. Each is set by its environment variable.

      EXAMPLE
        listsync limits
        LISTSYNC_MAX_ITEM_BYTES=1000 listsync limits --json
      """)

  @Flag(help: .json) var json = false

  func run() throws {
    let rows = try Self.rows()
    json ? try Output.write(Self.document(rows)) : try Self.show(rows)
  }

  /// A limit as it is shown.
  private struct Row {
    let name: String
    let meaning: String
    let value: Int
    let standard: Int
    /// Nil where it cannot be set.
    let variable: String?
    let highest: Int
  }

  private static func rows() throws -> [Row] {
    let limits = try Settings.limits()
    let settable = Limit.allCases.map { limit in
      Row(
        name: limit.rawValue, meaning: limit.meaning, value: limits[limit],
        standard: limit.standard, variable: limit.variable, highest: limit.highest)
    }
    let wait = Row(
      name: "wait", meaning: "seconds to wait for another process's write",
      value: try Settings.waitSeconds(), standard: BusyWait.standardSeconds,
      variable: BusyWait.variable, highest: BusyWait.highestSeconds)
    let fixed = FixedLimit.all.map { limit in
      Row(
        name: limit.name, meaning: limit.meaning, value: limit.value, standard: limit.value,
        variable: nil, highest: limit.value)
    }
    return settable + [wait] + fixed
  }

  private static func show(_ rows: [Row]) throws {
    let cells =
      [["limit", "value", "default", "highest", "variable", "what"]]
      + rows.map { row in
        [
          row.name, "\(row.value)", "\(row.standard)", "\(row.highest)", row.variable ?? "(fixed)",
          row.meaning,
        ]
      }
    let widths = (0..<5).map { column in cells.map { $0[column].count }.max() ?? 0 }
    for row in cells {
      let padded = zip(row, widths).enumerated().map { column, cell in
        let isNumber = (1...3).contains(column)
        return isNumber ? cell.0.leftPadding(to: cell.1) : cell.0.padding(to: cell.1)
      }
      try Output.line((padded + [row[5]]).joined(separator: "  "))
    }
  }

  private static func document(_ rows: [Row]) -> [UInt8] {
    var writer = JSONWriter()
    writer.array { writer in
      for row in rows {
        writer.lineBreak()
        writer.object { writer in
          writer.member("limit", row.name)
          writer.member("value", row.value)
          writer.member("default", row.standard)
          writer.member("highest", row.highest)
          writer.member("variable", row.variable)
          writer.member("meaning", row.meaning)
        }
      }
    }
    return writer.bytes + "\n".utf8
  }
}
