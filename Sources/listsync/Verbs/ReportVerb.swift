import ArgumentParser
import Foundation
import ListDocuments
import ListModel
import LocalFiles
import SyncService
import Terminal
import WebPage

struct ReportVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Writes the history of a list as a page in one file.",
    discussion: """
      A browser opens the file from a disk, without a server or a network. The page has the views \
      of listsyncd: the history, the difference of two versions, the list at any version, a \
      replay, and the history of an item. It contains the versions as a bundle, and verifies all \
      of them before it shows anything. To prove that the history is the right one, compare the \
      cursor that the page shows with one that you keep elsewhere.

      A history of more than 64 MB is refused unless you add --force.

      EXAMPLE
        listsync report parks -o parks.html
        listsync report parks --since 2026-01-01 --to 2026-03-31 -o first-quarter.html
      """)

  @Argument(help: .list, completion: .lists, transform: ListName.init(argument:)) var list: ListName
  @Option(help: .revision("The first version of the report (default: the oldest)"))
  var since: Revision?
  @Option(help: .revision("The last version")) var to = Revision.head
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The page's file; - for standard output.", valueName: "file"),
    completion: .file())
  var output: String
  @Flag(
    name: .customLong("force"),
    help: "Replace the file if it exists, and write a history that browsers open slowly.")
  var isForced = false
  @OptionGroup var store: StoreOptions
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    if answer.isJSON, output == "-" {
      throw ValidationError("--json: with '-o -', standard output gets the page.")
    }
  }

  func run() async throws {
    var request = ExportRequest(list: list)
    (request.since, request.to, request.isWhole) = (since, to, true)
    let service = try store.service()
    let export = try await service.export(request)
    let page = ReportPage(facts: try await facts(of: export.header, service))
    let bundle = try await pack(export)
    let parts = [page.beginning, Array(Data(bundle.bytes).base64EncodedData()), page.end]
    try write(parts)
    let byteCount = parts.reduce(0) { $0 + $1.count }
    let header = bundle.summary.header
    let first = max(header.startState.version.number, 1)
    let versionCount = header.target.version.number - first + 1
    let text = """
      \(header.list) \(header.target.knownCursor.short): \
      \(Wording.count(versionCount, "version")), \
      \(Wording.count(header.target.count, "item"))
      """
    if output == "-" { return Output.diagnostic(text) }
    try answer.write(text) { writer in
      writer.member("list", header.list.text)
      writer.member("to", header.target)
      writer.member("versions", versionCount)
      writer.member("bytes", byteCount)
      writer.member("sha256", bundle.summary.digest)
    }
  }

  /// What the page shows besides the versions.
  private func facts(of header: BundleHeader, _ service: SyncService) async throws -> [UInt8] {
    let title = try await service.titlePath(of: list)
    let versions = header.startState.version...header.target.version
    let tags = try await service.tags(of: list).filter { versions.contains($0.record.version) }
    let prunings = try await service.prunes(of: list)
    return JSONWriter.object { writer in
      writer.member("title", title?.description)
      writer.objects("tags", tags) { $0.members(of: $1) }
      writer.objects("prunings", prunings) { $0.members(of: $1) }
    }
  }

  /// The highest number of bytes of a bundle that opens in a few seconds.
  private static let byteLimit = 64_000_000
  /// The highest number of bytes of a bundle that browsers hold as a text.
  private static let forcedByteLimit = 500_000_000

  private func pack(_ export: BundleExport) async throws -> PackedBundle {
    let progress = ProgressLine("reporting \(export.header.list)")
    defer { progress.finish() }
    let byteLimit = isForced ? Self.forcedByteLimit : Self.byteLimit
    let lineByteLimit = try Settings.limits()[.lineBytes]
    let packed = try await PackedBundle(
      export, byteLimit: byteLimit, lineByteLimit: lineByteLimit
    ) { progress.show("\($0.record.version)") }
    if let packed { return packed }
    throw VerbError.longReport(list, byteLimit: byteLimit, isForced: isForced)
  }

  private func write(_ parts: [[UInt8]]) throws {
    if output == "-" {
      for part in parts { try Output.write(part) }
      return
    }
    let file = try OutputFile(output, replaces: isForced)
    do {
      for part in parts { try file.write(part) }
      try file.finish()
    } catch {
      file.abandon()
      throw error
    }
  }
}
