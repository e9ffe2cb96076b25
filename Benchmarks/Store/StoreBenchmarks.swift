import ArgumentParser
import Foundation

/// Measures the store against floors of the same run.
@main
struct StoreBenchmarks: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "StoreBenchmarks",
    abstract: "Measures the store against floors that are measured in the same run.",
    discussion: """
      EXAMPLE
        make benchmark-store
        .build/release/StoreBenchmarks --rows 1,2,8 --scale 0.1
      """,
    subcommands: [
      Suite.self, GenerateParks.self, MeasureProgram.self, ReadDeltas.self, MeasureDatabase.self,
      FollowList.self,
    ],
    defaultSubcommand: Suite.self)
}

/// The benchmarks themselves.
struct Suite: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Runs the rows and prints a table.")

  @Option(help: "The rows wanted, such as 1,2,8 (default: all).")
  var rows: String?
  @Option(help: "What sizes and numbers of versions are multiplied by.")
  var scale = 1.0
  @Option(help: "How often floor and work alternate.")
  var rounds = 5
  @Option(help: "The release binary that whole-process rows run.")
  var listsync = ".build/release/listsync"
  @Option(help: "The Python that git-history is installed for (row 9; see compare.py).")
  var python = "python3"
  @Option(help: "A folder for files while this runs (default: the system's).")
  var folder: String?
  @Flag(help: "Print the table for Documentation/Performance.md.")
  var markdown = false

  func validate() throws {
    guard !Self.isDebugBuild else {
      throw ValidationError("figures of a debug build say nothing: build with -c release.")
    }
    guard scale > 0, scale <= 1 else { throw ValidationError("--scale is above 0, and at most 1.") }
    guard rounds > 0 else { throw ValidationError("--rounds is 1 or more.") }
  }

  private static var isDebugBuild: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }

  func run() async throws {
    let bench = try Workbench(
      scale: scale, rounds: rounds, listsync: listsync, python: python, parent: folder)
    defer { bench.cleanUp() }
    var report = Report(isMarkdown: markdown)
    report.start(Machine.description(scale: scale, rounds: rounds))
    for row in try chosenRows() {
      let start = Clock.wallSeconds()
      do {
        report.add(try await row.init(bench: bench).findings(), of: row)
      } catch let error as Skipped {
        report.add([.skipped(row.title, error.reason)], of: row)
      }
      let seconds = Clock.wallSeconds() - start
      Progress.note("row \(row.number) took \(Figures.seconds(seconds)) in all")
    }
    report.finish()
  }

  private func chosenRows() throws -> [any Row.Type] {
    guard let rows else { return AllRows.types }
    let numbers = Set(rows.split(separator: ",").compactMap { Int($0) })
    let chosen = AllRows.types.filter { numbers.contains($0.number) }
    guard !chosen.isEmpty else { throw ValidationError("--rows: there are rows 1 to 14.") }
    return chosen
  }
}
