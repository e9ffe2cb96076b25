import ArgumentParser
import ListDocuments
import ListModel
import SyncService

struct BundleCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Writes versions of a list to a bundle.",
    discussion: """
      Without --since, the bundle has all versions of the list. If old ones were pruned, it starts \
      with the items of the oldest version. The file appears only when it is complete; devices and \
      FIFOs are written directly.

      EXAMPLE
        listsync bundle create parks -o parks.bundle.gz
        listsync bundle create parks --since 7 -o - | ssh host listsync bundle apply -
      """)

  @Argument(help: .list, completion: .lists, transform: ListName.init(argument:)) var list: ListName
  @Option(help: .revision("The version that the other store has (default: none)"))
  var since: Revision?
  @Option(help: .revision("The last version")) var to = Revision.head
  @Option(
    name: .shortAndLong,
    help: .file("The bundle's file, compressed if its name ends in .gz; - for standard output."),
    completion: .file())
  var output: String
  @Flag(name: .customLong("force"), help: "Replace the file if it exists.") var isForced = false
  @OptionGroup var store: StoreArguments
  @OptionGroup var answer: AnswerOptions

  func validate() throws { try answer.checkOutput(output, of: "the bundle") }

  func run() async throws {
    var request = ExportRequest(list: list)
    request.since = since
    request.to = to
    let export = try await store.service().export(request)
    let output = try BundleOutput(output, replaces: isForced)
    let report = BundleReport(summary: try await write(export, to: output))
    try answer.write(report.text, besideOutput: self.output, report.write)
  }

  private func write(
    _ export: BundleExport, to output: BundleOutput
  ) async throws -> BundleSummary {
    let progress = ProgressLine("bundling \(export.header.list)")
    defer { progress.finish() }
    do {
      var export = export
      var writer = try BundleWriter(export.header, lineByteLimit: Settings.limits()[.lineBytes])
      while case let parts = try await export.nextBatch(), !parts.isEmpty {
        for part in parts { try writer.append(part) }
        try output.write(writer.takeBytes())
        if case .step(let step)? = parts.last { progress.show("\(step.to.version)") }
      }
      let summary = try writer.finish()
      try output.write(writer.takeBytes())
      try output.finish()
      return summary
    } catch let error as BundleError {
      throw VerbError.unwritableBundle(export.header.list, error)
    }
  }
}
