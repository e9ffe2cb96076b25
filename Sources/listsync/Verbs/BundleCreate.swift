import ArgumentParser
import ListDocuments
import ListModel
import SyncService
import Terminal

struct BundleCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Writes versions of a list to a bundle.",
    discussion: """
      Without --since, all versions that the list has: where older ones were pruned, the items of \
      the oldest come first. The file is there whole, or not at all; a device or a FIFO is written \
      into as it is.

      EXAMPLE
        listsync bundle create parks -o parks.bundle.gz
        listsync bundle create parks --since 7-3f9a1c2b7d40 -o - | ssh host listsync bundle apply -
      """)

  @Argument(help: .list) var list: String
  @Option(help: .revision("What the other store has (default: nothing)"))
  var since: RevisionArgument?
  @Option(help: .revision("Where to end (default: head)")) var to = RevisionArgument(.head)
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The bundle's file, packed where its name ends in .gz; - for standard output.",
      valueName: "file"))
  var output: String
  @Flag(name: .customLong("force"), help: "Replace a file that is there.") var isForced = false
  @OptionGroup var store: StoreOptions
  @Flag(help: .json) var json = false

  func validate() throws {
    if json, output == "-" { throw ValidationError("--json: standard output has the bundle.") }
  }

  func run() async throws {
    var request = ExportRequest(list: try ListName(argument: list))
    request.since = since?.revision
    request.to = to.revision
    let export = try await store.service().export(request)
    let output = try BundleOutput(output, replaces: isForced)
    let summary: BundleSummary
    do {
      summary = try await write(export, to: output)
    } catch {
      output.abandon()
      throw error
    }
    let report = BundleReport(summary: summary)
    if self.output == "-" { return Output.note(report.text) }
    try Output.answer(keeping: report.text) {
      if json { try Output.write(report.document) } else { try Output.line(report.text) }
    }
  }

  private func write(
    _ export: VersionExport, to output: BundleOutput
  ) async throws -> BundleSummary {
    let progress = ProgressLine("bundling \(export.header.list)")
    defer { progress.finish() }
    do {
      var export = export
      var writer = try BundleWriter(
        export.header, lineByteLimit: Settings.limits()[.lineBytes])
      while case let parts = try await export.nextBatch(), !parts.isEmpty {
        for part in parts { try writer.append(part) }
        try output.write(writer.takeBytes())
        if case .step(let step)? = parts.last { progress.show("\(step.record.version)") }
      }
      let summary = try writer.finish()
      try output.write(writer.takeBytes())
      try output.finish()
      return summary
    } catch let error as BundleError {
      throw UnwritableBundle(list: export.header.list, error: error)
    }
  }
}

/// Versions that no bundle can hold, since they do not follow from each other.
struct UnwritableBundle: Error {
  let list: ListName
  let error: BundleError
}
