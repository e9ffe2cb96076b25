import ArgumentParser
import ListDocuments
import ListModel

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
      applied. --against also shows that its history is the one of which you kept a cursor.

      EXAMPLE
        listsync bundle verify parks.bundle.gz
        listsync bundle verify parks.bundle.gz --against 7-3f9a1c2b7d40c5e6918f20aa3b7714de
      """)

  @Argument(help: "The bundle's file, or - for standard input.", completion: .file()) var file:
    String
  @OptionGroup var kept: AgainstOptions
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    let progress = ProgressLine("verifying \(Wording.input(file))")
    defer { progress.finish() }
    let (summary, keptCount) = try await VerbError.naming(file) { try read(progress) }
    let report = BundleReport(summary: summary)
    progress.finish()
    if answer.isJSON { return try Output.object(report.write) }
    try Output.line(report.text)
    try Output.line(report.proof)
    if !kept.against.isEmpty { try Output.line(kept.line(Wording.input(file), keptCount)) }
  }

  /// Reads and verifies the bundle.
  private func read(
    _ progress: ProgressLine
  ) throws -> (summary: BundleSummary, keptCount: Int) {
    var bundle = try BundleFile(file)
    var (replay, comparison) = (BundleReplay(), HistoryComparison([]))
    do {
      while let event = try bundle.next() {
        try replay.apply(event)
        switch event {
        case .header(let header):
          comparison = HistoryComparison(try kept.cursors(of: header.list))
          try comparison.compare(header.startState.knownCursor)
        case .item: break
        case .step(let step):
          progress.show("version \(step.to.version)")
          try comparison.compare(step.to.knownCursor)
        }
      }
      try comparison.finish()
    } catch let error as Divergence {
      throw VerbError.divergence(of: Wording.input(file), error)
    }
    guard let summary = bundle.summary else {
      preconditionFailure("a whole bundle has its summary")
    }
    return (summary, comparison.equalCount)
  }
}
