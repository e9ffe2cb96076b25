import ArgumentParser
import ListModel
import ListStore
import SQLiteStore
import SyncService

struct Prune: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Removes the oldest versions of a list, and records that in its log.",
    discussion: """
      Removes versions from the oldest up to the first one that a rule or a tag keeps. The newest \
      version always stays. With both rules, a version stays if either rule keeps it. The oldest \
      remaining version can still be shown, but not the step that led to it.

      --keep-within D keeps every version that was the newest at some moment within D. Write D as \
      \(RetentionPeriod.forms). A clock that jumped ahead would make all versions old. So \
      if D begins within a longer time without a commit, no version is removed by age, unless you \
      add --trust-dates.

      EXAMPLE
        listsync prune parks --keep-last 100 --dry-run
        listsync prune parks --keep-last 10 --keep-within 30d --vacuum
      """)

  @Argument(help: .list, completion: .lists, transform: ListName.init(argument:)) var list: ListName
  @Option(
    help: ArgumentHelp("Keep this many of the newest versions.", valueName: "n"),
    transform: Int.init(count:))
  var keepLast: Int?
  @Option(
    help: ArgumentHelp("Keep versions that were the newest within this time.", valueName: "d"),
    transform: RetentionPeriod.init(argument:))
  var keepWithin: RetentionPeriod?
  @Flag(
    name: .customLong("trust-dates"),
    help: "Remove by age, even after a long time without a commit.")
  var trustsDates = false
  @Flag(name: .customLong("dry-run"), help: "Show what would be removed and kept, and why.")
  var isDryRun = false
  @Flag(help: "Return the freed space to the system. This rewrites the whole file.")
  var vacuum = false
  @Option(help: "The author of the pruning, for the record.") var author: String?
  @OptionGroup var store: StoreArguments
  @OptionGroup var colour: ColourOptions
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    if isDryRun, vacuum { throw ValidationError("--vacuum: a --dry-run frees no space.") }
    if trustsDates, keepWithin == nil {
      throw ValidationError("--trust-dates: only --keep-within uses dates.")
    }
    _ = try rule()
  }

  private func rule() throws -> RetentionRule {
    guard
      let rule = RetentionRule(
        keepLast: keepLast, keepWithin: keepWithin, trustsDates: trustsDates)
    else {
      throw ValidationError("name what to keep: --keep-last N, --keep-within D, or both.")
    }
    return rule
  }

  func run() async throws {
    var request = PruneRequest(list: list, rule: try rule())
    request.author = author
    if isDryRun {
      let plan = try await store.service().prunePlan(request)
      let report = PruneReport(list: list, plan: plan, record: nil)
      if answer.isJSON { return try Output.object { report.write(to: &$0, isDryRun: true) } }
      return try report.planLines(colour.palette).forEach(Output.line)
    }
    let file = vacuum ? try store.file(for: .writing) : nil
    let opened = try file ?? store.store(for: .writing)
    let outcome = try await store.service(on: opened).prune(request)
    var report = PruneReport(list: list, plan: outcome.plan, record: outcome.record)
    if let file { report.vacuum = try await vacuumed(file, after: report) }
    try Output.answer(afterChange: report.lines.joined(separator: "; ")) {
      if answer.isJSON { return try Output.object { report.write(to: &$0, isDryRun: false) } }
      try report.lines.forEach(Output.line)
    }
  }

  /// Frees the space. An error here does not undo the pruning, so its report is printed first.
  private func vacuumed(
    _ store: any FileStore, after report: PruneReport
  ) async throws -> VacuumOutcome {
    do {
      return try await store.freeSpace()
    } catch {
      report.lines.forEach(Output.diagnostic)
      throw error
    }
  }
}

extension FileStore {
  /// Returns unused space to the system, after the work of a verb is done.
  ///
  /// - Throws: `VerbError.vacuum`.
  func freeSpace() async throws -> VacuumOutcome {
    do {
      return try await ProgressLine.timing("rewriting the store") { try await vacuum() }
    } catch let error as StoreError {
      throw VerbError.vacuum(error)
    }
  }
}

extension RetentionPeriod: ArgumentValue {
  package static var argumentRule: String { "write a length of time as \(forms)." }
}
