import ArgumentParser
import ListDocuments
import ListModel
import ListStore
import SQLiteStore
import SyncService
import Terminal

struct Prune: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Removes the oldest versions of a list, and notes that in its log.",
    discussion: """
      Versions go oldest first, down to the first one that a rule or a tag keeps; the newest \
      always stays. With both rules a version is kept when either keeps it. The oldest version \
      that is left can still be shown, but not the step that led to it.

      --keep-within keeps every version that was the newest one at some moment of that time. D is \
      \(RetentionPeriod.forms). Where the time begins in a longer one without a commit, nothing \
      goes by age unless --trust-dates says that the clock is right: one that leaps ahead would \
      make everything old.

      EXAMPLE
        listsync prune parks --keep-last 100 --dry-run
        listsync prune parks --keep-last 10 --keep-within 30d --vacuum
      """)

  @Argument(help: .list) var list: String
  @Option(
    name: .customLong("keep-last"),
    help: ArgumentHelp("Keep so many of the newest versions.", valueName: "n"))
  var keepLast: Int?
  @Option(
    name: .customLong("keep-within"),
    help: ArgumentHelp("Keep what was the newest version within so long.", valueName: "d"))
  var keepWithin: String?
  @Flag(
    name: .customLong("trust-dates"),
    help: "Prune by age after a long time without a commit, too.")
  var trustsDates = false
  @Flag(
    name: .customLong("dry-run"), help: "Tell what would go and stay, and why; change nothing.")
  var isDryRun = false
  @Flag(help: "Give the freed space back to the system; this writes the whole file anew.")
  var vacuum = false
  @Option(help: "Who prunes, for the record.") var author: String?
  @OptionGroup var store: StoreOptions
  @OptionGroup var colour: ColourOptions
  @Flag(help: .json) var json = false

  func validate() throws {
    if isDryRun, vacuum { throw ValidationError("--vacuum: a --dry-run frees nothing.") }
    if trustsDates, keepWithin == nil {
      throw ValidationError("--trust-dates: dates count for --keep-within alone.")
    }
  }

  func run() async throws {
    var request = PruneRequest(list: try ListName(argument: list), rule: try rule())
    request.author = author
    if isDryRun {
      let plan = try await store.service().prunePlan(request)
      let report = PruneReport(list: request.list, plan: plan, record: nil)
      return try json
        ? Output.write(report.document(isDryRun: true))
        : report.planLines(colour.palette).forEach(Output.line)
    }
    let opened = try store.existingStore()
    let outcome = try await store.service(on: opened).prune(request)
    var report = PruneReport(list: request.list, plan: outcome.plan, record: outcome.record)
    if vacuum { report.vacuum = try await vacuumed(opened, after: report) }
    try Output.answer(keeping: report.lines.joined(separator: "; ")) {
      try json
        ? Output.write(report.document(isDryRun: false)) : report.lines.forEach(Output.line)
    }
  }

  private func rule() throws -> RetentionRule {
    let period = try keepWithin.map { text in
      guard let period = RetentionPeriod(text) else {
        throw ValidationError(
          "--keep-within: '\(text)' is not a length of time; write \(RetentionPeriod.forms).")
      }
      return period
    }
    if let keepLast, keepLast < 1 {
      throw ValidationError("--keep-last: the count must be 1 or more; the newest always stays.")
    }
    guard
      let rule = RetentionRule(
        keepLast: keepLast, keepWithin: period, trustsDates: trustsDates)
    else {
      throw ValidationError("say what to keep: --keep-last N, --keep-within D, or both.")
    }
    return rule
  }

  /// Frees the space. What fails here does not undo the pruning, so that is told first.
  private func vacuumed(
    _ store: SQLiteStore, after report: PruneReport
  ) async throws -> VacuumOutcome {
    let progress = ProgressLine("writing the store anew")
    progress.show("")
    defer { progress.finish() }
    do {
      return try await store.vacuum()
    } catch let error as StoreError {
      report.lines.forEach(Output.note)
      throw VacuumError(cause: error)
    }
  }
}

/// Versions were pruned as asked, but the space was not given back.
struct VacuumError: Error {
  let cause: StoreError
}
