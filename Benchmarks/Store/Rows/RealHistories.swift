import Foundation
import TestSupport

/// Row 9: what `Benchmarks/compare.py` finds.
struct RealHistories: Row {
  static let number = 9
  static let title = "bytes on disk of whole real histories"
  let bench: Workbench

  /// A line of the comparison.
  private struct Line: Decodable {
    let work: String
    let unit: String
    let listsync: Double
    let other: String
    let value: Double
  }

  func findings() async throws -> [Finding] {
    guard RealList.areThere else { throw Skipped(reason: RealList.skipNote) }
    let output = bench.newPath("comparison.json")
    let script = Project.root.appendingPathComponent("Benchmarks/compare.py").path
    Progress.note("comparing with git-history, which takes minutes")
    do {
      try bench.run(
        [bench.python, script, "git-history", "--json", "--listsync", bench.listsync],
        output: output)
    } catch let error as ProgramFailed {
      throw Skipped(reason: error.message.split(separator: "\n").last.map(String.init) ?? "")
    }
    let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
    return try lines.map {
      Self.finding(try JSONDecoder().decode(Line.self, from: Data($0.utf8)))
    }
  }

  /// Bytes have a goal; seconds are only reported.
  private static func finding(_ line: Line) -> Finding {
    let isSize = line.unit == "bytes"
    let figure = { isSize ? Figures.bytes(Int($0)) : Figures.seconds($0) }
    return Finding(
      work: line.work, goal: isSize ? "< 1 × \(line.other)" : "",
      measured: Figures.ratio(line.listsync / line.value),
      outcome: isSize ? (line.listsync < line.value ? .reached : .missed) : .told,
      figures: "\(figure(line.listsync)); \(line.other) \(figure(line.value))")
  }
}
