import ArgumentParser
import ListDocuments
import ListModel
import Terminal

struct BundleVerify: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Reads a bundle and proves it, without a store.",
    discussion: """
      Proved are the form, the chain of every version and, of a full bundle, every checksum: its \
      versions are replayed in memory. Whether an incremental bundle fits shows when it is applied.

      EXAMPLE
        listsync bundle verify parks.bundle.gz
      """)

  @Argument(help: "The bundle's file, or - for standard input.") var file: String
  @Flag(help: .json) var json = false

  func run() async throws {
    let progress = ProgressLine("verifying \(file == "-" ? "standard input" : file)")
    defer { progress.finish() }
    let report = BundleReport(
      summary: try await RefusedBundle.naming(file) { try Self.summary(of: file, progress) })
    progress.finish()
    if json { return try Output.write(report.document) }
    try Output.line(report.text)
    try Output.line(report.proof)
  }

  private static func summary(of path: String, _ progress: ProgressLine) throws -> BundleSummary {
    var file = try BundleFile(path)
    var replay = BundleReplay()
    while let event = try file.next() {
      try replay.take(event)
      if case .step(let step) = event { progress.show("version \(step.record.version)") }
    }
    guard let summary = file.summary else { preconditionFailure("a whole bundle has its summary") }
    return summary
  }
}
