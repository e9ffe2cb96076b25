import ArgumentParser
import ListDocuments
import ListModel
import LocalFiles
import SQLExport
import SyncService

struct ExportVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes all versions of lists to a plain SQLite file, for readers of SQL.",
    discussion: """
      Each inserted, moved or updated item is a row of 'items', with the versions that have it. \
      The rows of every version sort by 'place'. To export again appends the new versions and \
      removes the pruned ones. The file can be read meanwhile; a killed export leaves whole \
      versions.

      EXAMPLE
        listsync export parks films -o history.db
        listsync export parks -o history.db --members --watch
        listsync export parks -o parks.ndjson --format ndjson
      """)

  @Argument(
    help: "The names of the lists.", completion: .lists, transform: ListName.init(argument:))
  var lists: [ListName]
  @Option(name: .shortAndLong, help: .file("The SQLite file."), completion: .file())
  var output: String
  @Flag(
    name: .customLong("replace"),
    help: """
      Begin anew, instead of continuing the history that the file has of these lists. Replace a \
      file of text.
      """)
  var isReplaced = false
  @Flag(
    name: .customLong("members"),
    help: """
      Also make a view 'item_members', with a column for each top-level member; with --format, \
      add these columns to the text.
      """)
  var hasMembers = false
  @Option(help: ArgumentHelp("Write the rows of 'items' as text instead.", valueName: "format"))
  var format: RowFormat?
  @Flag(help: "Continue, and export after each commit, until interrupted.") var watch = false
  @OptionGroup var store: StoreArguments
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    guard format != nil else {
      if output == "-" { throw ValidationError("-o -: only --format has a text to print.") }
      return
    }
    if watch { throw ValidationError("--watch: a file of text is written once.") }
    try answer.checkOutput(output, of: "the rows")
  }

  func run() async throws {
    let service = try store.service()
    // Create no file for a missing list.
    for list in lists { _ = try await service.state(of: ListRevision(list, .head)) }
    let outcomes = try await export(lists, service)
    try write(outcomes)
    guard watch else { return }
    try await HeadCache.follow(service) { headCache in
      try await headCache.followLists(every: .milliseconds(200)) { list, error in
        // Nobody reads the answers any more.
        if error is OutputError { throw error }
        Output.diagnostic("listsync: \(list) was not exported: \(error)")
      } _: { list in
        guard lists.contains(list) else { return }
        let outcomes = try await exportWhenFree(list, service)
        if outcomes[0].versionCount + outcomes[0].prunedCount > 0 { try write(outcomes) }
      }
    }
  }

  /// Tries again until no other program keeps the file.
  private func exportWhenFree(
    _ list: ListName, _ service: SyncService
  ) async throws -> [HistoryExporter.Outcome] {
    var isReported = false
    while true {
      do {
        return try await export([list], service)
      } catch let error as ExportError where error.isBusy {
        if !isReported {
          Output.diagnostic("listsync: \(error); export tries again until it is free")
        }
        isReported = true
        // LISTSYNC_WAIT may be 0.
        try await Task.sleep(for: .milliseconds(200))
      }
    }
  }

  private func export(
    _ lists: [ListName], _ service: SyncService
  ) async throws -> [HistoryExporter.Outcome] {
    let text = try format.map { ($0, try textOutput()) }
    let exporter = try HistoryExporter(
      service, path: text == nil ? output : nil, hasMembers: hasMembers,
      busyTimeoutSeconds: Double(StoreArguments.waitSeconds()))
    var outcomes: [HistoryExporter.Outcome] = []
    for list in lists {
      let progress = ProgressLine("exporting \(list)")
      defer { progress.finish() }
      outcomes.append(
        try await exporter.export(list, replacing: isReplaced) { progress.show("\($0)") })
    }
    if let (format, output) = text {
      try exporter.write(lists, as: format) { try output.write($0) }
      try output.finish()
    }
    return outcomes
  }

  private func textOutput() throws -> VerbOutput {
    do {
      return try VerbOutput(output, replaces: isReplaced)
    } catch FileError.alreadyThere {
      throw ExportError.alreadyThere(path: output)
    }
  }

  private func write(_ outcomes: [HistoryExporter.Outcome]) throws {
    let lines = outcomes.map(text).joined(separator: "\n")
    try answer.write(lines, besideOutput: output) { writer in
      writer.objects("lists", outcomes) { writer, outcome in
        writer.member("list", outcome.list.text)
        writer.member("to", outcome.head)
        writer.member("versions", outcome.versionCount)
        writer.member("rows", outcome.rowCount)
        writer.member("removed_versions", outcome.prunedCount)
      }
    }
  }

  private func text(_ outcome: HistoryExporter.Outcome) -> String {
    let pruned = outcome.prunedCount > 0 ? ", \(outcome.prunedCount) removed" : ""
    return """
      \(outcome.list) \(Wording.state(outcome.head)): \
      \(Wording.count(outcome.versionCount, "version")) written\(pruned); \
      \(Wording.count(outcome.rowCount, "row"))
      """
  }
}

extension RowFormat: ExpressibleByArgument {}
