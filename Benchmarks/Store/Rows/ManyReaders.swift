import Foundation
import ParkLists

/// Row 11.
struct ManyReaders: Row {
  static let number = 11
  static let title = "8 processes reading deltas while one commits"
  let bench: Workbench

  private static let readerCount = 8
  private static let seconds = 8.0

  func findings() async throws -> [Finding] {
    let count = bench.scaled(200_000)
    let store = bench.newPath("readers.db")
    var list = ParkList(count: count, seed: 11)
    let file = bench.newPath("parks.json")
    try list.writeJSON(to: file)
    try bench.listsync(["commit", "parks", file], store: store)
    list.edit(.typical(changes: 100))
    try list.writeJSON(to: file)
    try bench.listsync(["commit", "parks", file], store: store)
    let alone = try readers(of: store) {}
    var commits = Samples()
    let together = try readers(of: store) {
      let end = Clock.wallSeconds() + Self.seconds
      while Clock.wallSeconds() < end {
        // Half of the list, so that each commit holds the store for long.
        list.edit(EditMix(updates: count / 2))
        try list.writeJSON(to: file)
        commits.add(try bench.listsync(["commit", "parks", file], store: store).cost)
      }
    }
    return [finding(alone, together, commits)]
  }

  private func finding(
    _ alone: ReaderReport, _ together: ReaderReport, _ commits: Samples
  ) -> Finding {
    let longest = Samples.quantile(1, of: together.seconds)
    return Finding(
      work: "\(Self.readerCount) processes reading deltas while one commits: longest reading",
      goal: "≤ 0.5 × a commit; no error",
      measured: Figures.ratio(longest / commits.median),
      outcome: longest <= commits.median / 2 && together.errors.isEmpty ? .reached : .missed,
      figures: """
        \(together.seconds.count) readings: \(Self.quantiles(together)); without the writer \
        \(alone.seconds.count): \(Self.quantiles(alone)); \(commits.costs.count) commits \
        \(commits); errors: \(together.errors.isEmpty ? "none" : "\(together.errors.prefix(3))")
        """)
  }

  private static func quantiles(_ report: ReaderReport) -> String {
    [("median", 0.5), ("99 %", 0.99), ("longest", 1)].map { name, share in
      "\(name) \(Figures.seconds(Samples.quantile(share, of: report.seconds)))"
    }.joined(separator: ", ")
  }

  /// Runs the readers, and some work meanwhile.
  private func readers(of store: String, while body: () throws -> Void) throws -> ReaderReport {
    let stop = bench.newPath("stop")
    let reports = (0..<Self.readerCount).map { _ in bench.newPath("readings.json") }
    let processes = try reports.map { report in
      let process = Process()
      process.executableURL = URL(fileURLWithPath: Workbench.ownPath)
      process.arguments = [
        "read-deltas", store, "--report", report, "--stop", stop, "--seconds", "\(Self.seconds)",
      ]
      try process.run()
      return process
    }
    try body()
    try Workbench.newFile(stop).close()
    return try zip(processes, reports).reduce(into: ReaderReport()) { sum, pair in
      pair.0.waitUntilExit()
      let data = try Data(contentsOf: URL(fileURLWithPath: pair.1))
      let report = try JSONDecoder().decode(ReaderReport.self, from: data)
      sum.seconds += report.seconds
      sum.errors += report.errors
    }
  }
}
