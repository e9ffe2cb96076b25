import ArgumentParser
import ListDocuments
import ListModel
import Publishing
import SyncService

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
    name: .shortAndLong, help: .file("The page's file; - for standard output."),
    completion: .file())
  var output: String
  @Flag(
    name: .customLong("force"),
    help: "Replace the file if it exists, and write a history that browsers open slowly.")
  var isForced = false
  @OptionGroup var store: StoreArguments
  @OptionGroup var answer: AnswerOptions

  func validate() throws { try answer.checkOutput(output, of: "the page") }

  func run() async throws {
    var request = ExportRequest(list: list)
    (request.since, request.to, request.isWhole) = (since, to, true)
    let page = try await page(request)
    let file = try VerbOutput(output, replaces: isForced)
    for part in page.parts { try file.write(part) }
    try file.finish()
    let header = page.summary.header
    let first = max(header.startState.version.number, 1)
    let versionCount = header.target.version.number - first + 1
    let text = """
      \(header.list) \(header.target.knownCursor.short): \
      \(Wording.count(versionCount, "version")), \
      \(Wording.count(header.target.count, "item"))
      """
    try answer.write(text, besideOutput: output) { writer in
      writer.member("list", header.list.text)
      writer.member("to", header.target)
      writer.member("versions", versionCount)
      writer.member("bytes", page.byteCount)
      writer.member("sha256", page.summary.digest)
    }
  }

  /// The highest number of bytes of a bundle that browsers hold as a text.
  private static let forcedByteLimit = 500_000_000

  private func page(_ request: ExportRequest) async throws -> HistoryPage {
    let progress = ProgressLine("reporting \(list)")
    defer { progress.finish() }
    let byteLimit = isForced ? Self.forcedByteLimit : HistoryPage.standardByteLimit
    do {
      let page = try await HistoryPage(
        request, try store.service(), byteLimit: byteLimit,
        lineByteLimit: try Settings.limits()[.lineBytes]
      ) { progress.show("\($0)") }
      if let page { return page }
    } catch let error as BundleError {
      throw VerbError.unwritableBundle(list, error)
    }
    throw VerbError.longReport(list, byteLimit: byteLimit, isForced: isForced)
  }
}
