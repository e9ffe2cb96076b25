import ArgumentParser
import ListDocuments
import ListModel
import Terminal

struct BundleVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bundle",
    abstract: "Transfers versions from store to store in a file.",
    discussion: """
      A bundle holds a range of a list's versions: all of them, or those after a version that the \
      other store has. They keep their cursors in the other store. The file contains the proof \
      that it is complete and unchanged. It contains no tokens.

      EXAMPLE
        listsync bundle create parks -o parks.bundle.gz
        listsync bundle create parks --since 7 -o parks-since-7.bundle
        listsync bundle verify parks.bundle.gz
        listsync bundle apply parks.bundle.gz --store other.db
      """,
    subcommands: [BundleCreate.self, BundleVerify.self, BundleApply.self])
}

struct BundleVerify: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verifies a bundle without a store.",
    discussion: """
      Verifies the format and the chain of every version. A full bundle is also replayed in memory \
      to verify every root. Whether an incremental bundle fits a list is known when it is \
      applied.

      EXAMPLE
        listsync bundle verify parks.bundle.gz
      """)

  @Argument(help: "The bundle's file, or - for standard input.", completion: .file()) var file:
    String
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    let progress = ProgressLine("verifying \(Wording.input(file))")
    defer { progress.finish() }
    let report = BundleReport(
      summary: try await VerbError.naming(file) { try Self.summary(of: file, progress) })
    progress.finish()
    if answer.isJSON { return try Output.object(report.write) }
    try Output.line(report.text)
    try Output.line(report.proof)
  }

  private static func summary(of path: String, _ progress: ProgressLine) throws -> BundleSummary {
    var file = try BundleFile(path)
    var replay = BundleReplay()
    while let event = try file.next() {
      try replay.apply(event)
      if case .step(let step) = event { progress.show("version \(step.record.version)") }
    }
    guard let summary = file.summary else { preconditionFailure("a whole bundle has its summary") }
    return summary
  }
}
